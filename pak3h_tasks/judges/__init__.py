"""Judges turn items and responses into verdicts."""
