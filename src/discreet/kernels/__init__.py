"""Pure functions on numpy arrays: no frames, no roles, no input or output."""
