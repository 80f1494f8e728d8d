"""Who answers a judge's question: HTTP servers (`servers`), their `batches`, local models (`local`), or the cache.

`protocol` is what goes between them and the judges of `pak3h_tasks.judges`: requests, replies and answers, and the
`Backend` that turns one into the other. `lookup` finds what the answer `cache` holds already. `classifier` is the same
for safety classifiers, whose questions are token ids; `open_classifier` makes one of a setting.
"""
