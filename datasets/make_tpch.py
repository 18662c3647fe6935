"""Generate the eight TPC-H tables as Parquet at any scale.

    pip install tpchgen-cli
    python datasets/make_tpch.py SCALE FOLDER

Scale 1 is 6 million line items and about 400 MB on disk; 0.01 is enough for tests.
"""

import argparse
import subprocess
import sys
import sysconfig
from pathlib import Path
from shutil import which


def generator() -> str:
    """Return the path of tpchgen-cli: beside this interpreter, else on PATH."""
    found = which("tpchgen-cli", path=sysconfig.get_path("scripts")) or which("tpchgen-cli")
    if found is None:
        sys.exit("tpchgen-cli is not installed here: pip install tpchgen-cli")
    return found


def main() -> int:
    """Run the generator for the scale and folder on the command line."""
    parser = argparse.ArgumentParser(description="Generate the TPC-H tables as Parquet.")
    parser.add_argument("scale", type=float, help="scale factor: 0.01, 1, 10, ...")
    parser.add_argument("folder", type=Path, help="where the tables go; made if missing")
    options = parser.parse_args()
    if options.scale <= 0:
        parser.error("the scale must be above zero")
    options.folder.mkdir(parents=True, exist_ok=True)
    command = [generator(), "parquet", f"--scale-factor={options.scale:g}", f"--output-dir={options.folder}"]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
