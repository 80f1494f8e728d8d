"""Judges and classifiers whose weights this process loads with transformers."""
