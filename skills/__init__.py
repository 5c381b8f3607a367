"""Skills for host agents: texts that tell how to work with lwc."""
