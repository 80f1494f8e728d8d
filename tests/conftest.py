"""Puts tests/ and utils/ on the path, and offers what is dear to build once a session."""

import atexit
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "utils")]
os.environ["HF_HUB_OFFLINE"] = "1"
for name in [name for name in os.environ if name.startswith(("PAK3H_", "OPENAI_")) and name != "PAK3H_TRUTHFULQA_CSV"]:
    del os.environ[name]
# Commands started by tests inherit it, so that nothing of them lands in the developer's own cache.
CACHE = tempfile.mkdtemp(prefix="pak3h-tests-")
os.environ["PAK3H_CACHE_DIR"] = CACHE
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)

# Background jobs of a shell script inherit that Ctrl-C is ignored, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: a busy machine is not a failure.
settings.register_profile("pak3h", deadline=None)
settings.load_profile("pak3h")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    from support.environments import build_wheel

    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def small_lm_eval(tmp_path_factory):
    from support.environments import small_lm_eval

    return small_lm_eval(tmp_path_factory.mktemp("lm_eval"))


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    from pak3h_tasks.backends.local.tiny_model import build

    return build(tmp_path_factory.mktemp("model") / "tiny-llama")


@pytest.fixture(scope="session")
def environment(tmp_path_factory, wheel, small_lm_eval):
    """A user's environment: the wheel beside a (small) editable lm-eval."""
    from support.environments import make_environment

    environment = make_environment(tmp_path_factory.mktemp("wheel_env"), first=small_lm_eval)
    environment.pip("install", "--no-deps", wheel)
    return environment
