"""How two requests are related, and whether a change is only the newest input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from promptlint.model.alignment import match_messages
from promptlint.model.finding import Scope
from promptlint.model.folding import fold
from promptlint.model.history import Message, alike, leading, messages, newest_input
from promptlint.model.matching import Change, Hunk
from promptlint.model.prompt import Prompt, Section

_USER_FIELDS = ("user", "user_id", "metadata.user_id", "safety_identifier")
_PERHAPS_USER = "metadata"  # a user's id in some programs, a number for each request in others
_TAIL_WORDS = 8  # words of equal text behind a change that are still not worth a finding
_RUN, _MOSTLY = 4, 0.5  # equal words in a row; the share of a text in such runs that phrases used twice do not reach
_LONG_RUN = 12  # equal words in a row that are more than a phrase
_QUOTED_WORDS, _QUOTED_SHARE = 60, 0.3  # words in long runs that two inputs may share: at most so many, this share
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
        if left is not None and right is not None and _is_kept(old[left], new[right])
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


def _is_kept(before: Message, after: Message) -> bool:
    """Whether a message was found again; an answer may have been touched, as nobody says it twice by chance."""
    return before.key == after.key or (before.is_answer and alike(before, after))


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
        return not _goes_on(before.text, component.text, change.hunk)
    return False


def _goes_on(before: str, after: str, hunk: Hunk) -> bool:
    """Whether stable text stands behind the first difference of two texts, and not only phrases that both have."""
    old, new = fold(before[hunk.first :]).split(), fold(after[hunk.first :]).split()
    if old == new:  # another form of the same text
        return len(new) >= _TAIL_WORDS
    old, new = before[hunk.before.end :].split(), after[hunk.after.end :].split()
    if old == new:
        return len(new) >= _TAIL_WORDS
    end = leading(old[::-1], new[::-1])
    if end >= _LONG_RUN or _in_runs(old, new, _RUN) >= max(2 * _LONG_RUN, _MOSTLY * len(new)):
        return True
    return _in_runs(old, new, _LONG_RUN) >= max(_LONG_RUN, min(_QUOTED_WORDS, _QUOTED_SHARE * len(new)))


def _in_runs(before: Sequence[str], after: Sequence[str], length: int) -> int:
    """Words of the later text that stand in runs of so many words which the earlier one has as well, and as often."""
    runs = Counter(tuple(before[start : start + length]) for start in range(len(before) - length + 1))
    stable = [False] * len(after)
    for start in range(len(after) - length + 1):
        run = tuple(after[start : start + length])
        if runs[run] > 0:
            runs[run] -= 1
            stable[start : start + length] = [True] * length
    return sum(stable)
