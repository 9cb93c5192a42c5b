"""The five papers behind discreet, rebuilt: every printed figure beside the computed one."""
