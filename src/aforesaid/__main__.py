"""`python -m aforesaid` is the `aforesaid` command."""

from aforesaid.surfaces.cli import main

main()
