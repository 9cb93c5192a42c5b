"""Local recoding: each record gets a cell of hierarchy nodes that covers it, and every cell that is
used has enough records. Blanking cells is the same with hierarchies of one level."""
