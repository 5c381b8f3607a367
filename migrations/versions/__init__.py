"""One file a schema revision; a released one is never edited."""
