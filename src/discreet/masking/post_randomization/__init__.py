"""Post-randomization: the parts of :mod:`discreet.masking.pram`."""
