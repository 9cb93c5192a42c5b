"""Plans: what a release is made from and how, as a file that can be read, run and run again."""
