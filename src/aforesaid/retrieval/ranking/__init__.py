"""Ways to rank: `default` is ours; `libra`, `pce` and `openclaw` follow three published systems to the digit.

A profile is a function from a `Question` to hits, best first. It may ask the store for anything that the
question's filter lets it see, and nothing else.
"""
