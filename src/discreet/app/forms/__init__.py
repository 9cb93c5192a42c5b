"""Forms, made from what methods, criteria and measures say of themselves."""
