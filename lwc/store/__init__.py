"""The only wing that speaks SQL."""
