"""One small function a cause, in a module a family; importing them fills the list of mutators."""

from . import breakpoints, history, order, replay, settings, tools, values, volatile

__all__ = ["breakpoints", "history", "order", "replay", "settings", "tools", "values", "volatile"]
