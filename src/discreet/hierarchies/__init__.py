"""The parts of ``discreet.hierarchies.hierarchy``: the rules, and what fitting them gives."""
