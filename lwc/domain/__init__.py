"""Values and rules: what is true. No I/O, no SQL."""
