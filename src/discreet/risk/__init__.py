"""Measures of disclosure risk."""
