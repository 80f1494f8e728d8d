"""Who answers a judge's question: HTTP servers and local models, and the on-disk cache of their answers."""
