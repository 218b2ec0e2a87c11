"""promptlint finds what breaks an LLM prompt cache, where it stands, and what it costs."""

__version__ = "0.1.0"
