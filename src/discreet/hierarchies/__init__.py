"""The parts of ``discreet.hierarchy``: rules that place values on levels, and what fitting gives."""
