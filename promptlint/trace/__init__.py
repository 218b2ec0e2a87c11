"""Replaying logs: fingerprints of prompts, sessions, caches, and what each lost token was lost to."""
