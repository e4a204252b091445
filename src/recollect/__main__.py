"""`python -m recollect` is the `recollect` command."""

from recollect.surfaces.cli import main

main()
