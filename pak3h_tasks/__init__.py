"""Pak3H for lm-evaluation-harness: Urdu helpfulness, harmlessness and honesty (arXiv 2608.30065)."""

__version__ = "0.2.0"
