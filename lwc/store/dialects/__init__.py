"""The seam between engines: how each is opened, locked, searched, and how its errors read."""
