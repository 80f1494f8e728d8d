"""Urdu text: normalisation, tokenisation, script share, cleaning of generations."""
