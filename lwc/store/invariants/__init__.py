"""Whether a wiki is what it should be: the queries behind the invariants, a room for each part."""
