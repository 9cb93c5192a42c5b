"""Search for a generalization of the keys that meets a criterion with the least loss."""
