"""Judges and classifiers behind HTTP: client, dialect, runner, failures."""
