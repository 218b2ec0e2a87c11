"""How two requests are related, and whether a change is only the newest input."""

from __future__ import annotations

from collections.abc import Sequence

from promptlint.model.alignment import match_messages
from promptlint.model.finding import Scope
from promptlint.model.history import Message, alike, messages, newest_input
from promptlint.model.matching import Change
from promptlint.model.prompt import Prompt, Section

_USER_FIELDS = ("user", "user_id", "metadata.user_id", "safety_identifier")
_PERHAPS_USER = "metadata"  # a user's id in some programs, a number for each request in others
_TAIL_WORDS = 8  # words of equal text behind a change that are still not worth a finding
_CHANCE_WORDS, _CHANCE_SHARE = 60, 0.3  # equal words in a long passage that may be chance: at most so many, this share
_RUN_WORDS = 4  # equal words in a row that are no coincidence
_OPENING_WORDS = 5  # of a first message that is no mere greeting
_KEPT_WORDS = 12  # words of messages found again that are no coincidence
_KEPT_SHARE = 0.5  # of the shorter history found again


def scope_of(before: Prompt, after: Prompt) -> Scope:
    """The relation of two requests, from their histories and user fields; UNKNOWN for plain text."""
    if before.wire == "text" or after.wire == "text":
        return Scope.UNKNOWN
    if any(_other(before, after, field) for field in _USER_FIELDS):
        return Scope.OTHER_USER
    old, new = messages(before.components), messages(after.components)
    if not old or not new:
        return Scope.OTHER_USER if _other(before, after, _PERHAPS_USER) else Scope.UNKNOWN
    if _continues(old, new):
        return Scope.SAME_CONVERSATION
    return Scope.OTHER_USER if _other(before, after, _PERHAPS_USER) else Scope.NEW_CONVERSATION


def _other(before: Prompt, after: Prompt, field: str) -> bool:
    left, right = before.setting(field), after.setting(field)
    return bool(left and right and left.value != right.value)


def _continues(old: Sequence[Message], new: Sequence[Message]) -> bool:
    """Whether `new` goes on from `old`: its history holds messages of the old one, and not only greetings."""
    same_opening = old[0].key == new[0].key
    if same_opening and _words(old[0]) >= _OPENING_WORDS:
        return True
    if len(old) == 1 or len(new) == 1:
        return alike(old[0], new[0])
    kept = [
        (old[left], right)
        for left, right in match_messages(old, new)
        if left is not None and right is not None and old[left].key == new[right].key
    ]
    if not any(message.is_answer for message, _ in kept):
        return False
    # A window that slides keeps whole messages, and they come first.
    if len(kept) >= 2 and not same_opening and [right for _, right in kept[:2]] == [0, 1]:
        return True
    words = sum(_words(message) for message, _ in kept)
    most = len(kept) >= 2 and len(kept) >= _KEPT_SHARE * min(len(old), len(new))
    if most and (words >= _KEPT_WORDS // 2 or alike(old[0], new[0])):
        return True
    return words >= _KEPT_WORDS


def _words(message: Message) -> int:
    return len(message.key.split()) - 1


def is_tail(change: Change) -> bool:
    """Whether the change is the request's own new input: nothing stable stands behind it, so nothing is lost.

    That is the last message (not an answer) or the last tool results, any message of another conversation, and the
    end of a text.
    """
    component = change.component_after
    if change.scope is Scope.GATEWAY:  # both sides are the same input
        return False
    if component is None:
        return True
    if component.section is Section.MESSAGES:
        if change.scope in (Scope.NEW_CONVERSATION, Scope.OTHER_USER):
            return True
        return change.at_after >= newest_input(change.after)
    if change.hunk is not None and change.at_after == len(change.after) - 1:
        before = change.component_before
        assert before is not None
        rest = before.text[change.hunk.before.end :], component.text[change.hunk.after.end :]
        # A long passage shares a phrase or two with another one by chance.
        chance = min(_CHANCE_WORDS, len(rest[1].split()) * _CHANCE_SHARE)
        return _stable_words(*rest) < max(_TAIL_WORDS, chance)
    return False


def _stable_words(before: str, after: str) -> int:
    """Words of the later text that stand in runs of some length which the earlier one has as well."""
    old, new = before.split(), after.split()
    runs = {tuple(old[start : start + _RUN_WORDS]) for start in range(len(old) - _RUN_WORDS + 1)}
    stable = [False] * len(new)
    for start in range(len(new) - _RUN_WORDS + 1):
        if tuple(new[start : start + _RUN_WORDS]) in runs:
            stable[start : start + _RUN_WORDS] = [True] * _RUN_WORDS
    return sum(stable)
