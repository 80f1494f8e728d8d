"""Intervals, tests and agreement: thin, typed faces over scipy and statsmodels."""
