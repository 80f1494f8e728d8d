"""Judges and classifiers behind HTTP.

A batch of questions to a judge goes from `chat` through `runner` (many at once, `retry`, the cache) and `line` (in the
server's `dialect`, held to the labels by `constrain`) to `client`, at an `address`; `wire` reads what comes back,
`failures` what went wrong. `classify` takes the same client, patience and failures to a served classifier.
"""
