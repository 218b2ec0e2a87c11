"""What kind of template a text is: a chat template turns messages into a prompt, others have placeholders."""

from __future__ import annotations

import re

# What Jinja says inside a tag when it goes through a conversation.
_MESSAGES = re.compile(r"(?:\bin|=)\s+messages\b|\bmessages\s*[\[|]|\badd_generation_prompt\b")
_OPEN = ("{%", "{{")
_CLOSE = ("%}", "}}", "#}")
_LONGEST = 5000  # characters of a tag before what it says of messages


def is_chat_template(text: str) -> bool:
    """Whether a Jinja text loops over or indexes `messages`, or reads `add_generation_prompt`."""
    return any(_in_tag(text, match.start()) for match in _MESSAGES.finditer(text))


def _in_tag(text: str, place: int) -> bool:
    low = max(0, place - _LONGEST)
    opened = max(text.rfind(sign, low, place) for sign in _OPEN)
    return opened >= 0 and opened > max(text.rfind(sign, low, place) for sign in _CLOSE)
