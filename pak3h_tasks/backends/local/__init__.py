"""Judges and classifiers whose weights this process loads with transformers.

`causal` is a judge (`model`: its weights and texts, `logits`: its probabilities), `classifier` a safety classifier
(`classifier_checks`: whether it is one to trust); both run in batches of like length (`batching`).
"""
