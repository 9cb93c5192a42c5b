"""The frequency set, the waist of the package: measures, criteria and searches see nothing else."""
