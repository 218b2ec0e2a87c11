"""When a request was sent, from the many ways in which logs write it."""

from __future__ import annotations

from datetime import UTC, datetime

# Unix time in a unit larger than these can only be in the next smaller one: seconds until the year 5138.
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
_BEGIN, _END = -62_135_596_800.0, 253_402_300_800.0  # the years 1 to 9999, which is what a date can name


def seconds(value: object) -> float | None:
    """Unix seconds of a number (s, ms, µs or ns, by its size) or ISO 8601 text (without offset: UTC); else None.

    None too for a moment before the year 1 or after 9999: no request was sent then.
    """
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            return seconds(float(value)) if value.replace(".", "", 1).isdecimal() else None
        found = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    else:
        found = next((value / unit for limit, unit in _UNITS if value > limit), float(value))
    return found if _BEGIN <= found < _END else None
