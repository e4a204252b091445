"""`python -m aforesaid.surfaces.cli`."""

from aforesaid.surfaces.cli import main

main()
