"""`python -m pak3h_tasks`: the `pak3h` command, for accelerate launch -m and torchrun -m."""

import sys

from pak3h_tasks.cli.main import entry

if __name__ == "__main__":
    sys.exit(entry())
