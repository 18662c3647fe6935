"""`python -m lazyframe`: the command line."""

import sys

from lazyframe.cli import main

sys.exit(main())
