"""A corpus of broken requests: realistic bases, causes planted with their truth, harmless changes, the scoring."""
