"""`python -m recollect.surfaces.cli`."""

from recollect.surfaces.cli import main

main()
