"""Puts tests/ on the path, so that every test can `from support.x import y`."""

import os
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
os.environ["HF_HUB_OFFLINE"] = "1"

# No deadline: a busy machine is not a failure.
settings.register_profile("pak3h", deadline=None)
settings.load_profile("pak3h")
