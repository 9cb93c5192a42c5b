"""The parts of ``discreet.hierarchy``: the rules, and what fitting them gives."""
