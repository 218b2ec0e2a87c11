"""The types everything speaks in: frozen, slotted dataclasses on the standard library alone."""
