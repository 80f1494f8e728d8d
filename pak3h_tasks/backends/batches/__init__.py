"""Questions that are not sent but written into files, and what comes back for them, hours later.

`request_files` writes them, for OpenAI's Batch API and for `vllm run-batch`; `ledger` remembers beside the answer cache
which files there are and what became of them; `api` uploads, watches and downloads; `outputs` puts what came back into
the cache; `unsent` is the judge's backend meanwhile, which asks nobody.
"""
