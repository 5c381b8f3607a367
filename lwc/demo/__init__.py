"""The main job on real files, done by a small agent that uses no model: `python -m lwc.demo`."""
