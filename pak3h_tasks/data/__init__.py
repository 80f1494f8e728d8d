"""Load, validate and convert the three datasets."""
