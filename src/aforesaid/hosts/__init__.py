"""Programs that host an agent: one thin file each, which translates, and what all of them share."""
