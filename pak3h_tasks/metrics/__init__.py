"""Metrics as pure functions: plain values in, plain values out."""
