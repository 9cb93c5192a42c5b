"""Local recoding: what is asked for, what a whole level would cost, what came out, what holds."""
