"""R-U maps: risk against loss of many maskings of one file, and the choice among them."""
