"""The layout for hosted models: components in cache order with structural markers in between.

Providers do not publish their separators. Markers stand for them: they keep one field from running into the next, so
that two blocks `A`, `B` differ from one block `AB`, and a block list of one item renders as the plain string. What
closes a message stands at its own end, so an appended message changes nothing before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from promptlint.model.prompt import Component, Kind, Prompt, Section
from promptlint.model.rendering import Piece, PieceKind, Rendering, Slot
from promptlint.render.order import cache_order

_HIDDEN = "the provider's layout of roles and tools is not public"
_NOT_GIVEN = "roles and tools are laid out by the model's chat template, which is not given (--chat-template FILE)"

_TOOL, _FIELD, _BLOCK = "<|tool|>", "<|field|>", "<|block|>"
_SYSTEM, _START, _MESSAGE, _END = "<|system|>", "<|start|>", "<|message|>", "<|end|>"
# What opens the block of a component that is not plain text, so that a call named `x` is no text `x`.
_OPENERS = {
    Kind.CALL_ID: "<|call|>",
    Kind.CALL_NAME: "<|call|>",
    Kind.ARGUMENTS: "<|call|>",
    Kind.TOOL_RESULT: "<|result|>",
    Kind.REASONING: "<|reasoning|>",
    Kind.FIELD: _FIELD,
}


def inexact(*, hosted: bool) -> str:
    """Why this layout is not that of the server, which is a provider's own or one that anybody can run."""
    return _HIDDEN if hosted else _NOT_GIVEN


def render_hosted(prompt: Prompt, order: tuple[Section, ...], *, hosted: bool = True) -> Rendering:
    """Slots in cache order, pieces to be encoded one by one; not exact, as the real layout is another one."""
    components = cache_order(prompt, order)
    slots: list[Slot] = []
    for index, component in enumerate(components):
        previous = components[index - 1] if index else None
        following = components[index + 1] if index + 1 < len(components) else None
        pieces = _opening(component, previous) + _content(component)
        if component.message >= 0 and (following is None or not _same_message(component, following)):
            pieces.append(_marker(_END))
        slots.append(Slot(component, tuple(pieces)))
    return Rendering(tuple(slots), joined=False, exact=False, reason=inexact(hosted=hosted))


def _opening(component: Component, previous: Component | None) -> list[Piece]:
    """The markers that stand between the previous component and this one."""
    if component.kind is Kind.ROLE:
        return [_marker(_START)]
    if component.kind is Kind.TOOL:
        return [_marker(_TOOL)]
    opener = [_OPENERS[component.kind]] if component.kind in _OPENERS else []
    if previous is None or not _same_message(previous, component):
        first = _SYSTEM if component.section is Section.SYSTEM and component.message < 0 else _START
        return _markers([first, *opener])
    if previous.kind is Kind.ROLE:
        return _markers(opener)
    if _block(previous) == _block(component):
        return [_marker(_FIELD)]
    return _markers([_BLOCK, *opener])


def _content(component: Component) -> list[Piece]:
    if component.opaque_tokens is not None:
        return [Piece(PieceKind.OPAQUE, component.text, 0, component.opaque_tokens)]
    pieces = [Piece(PieceKind.TEXT, component.text, 0)] if component.text else []
    return [*pieces, _marker(_MESSAGE)] if component.kind is Kind.ROLE else pieces


def _same_message(left: Component, right: Component) -> bool:
    return (left.section, left.message) == (right.section, right.message)


def _block(component: Component) -> int:
    """A string content has no block index and is block 0 of a list with one item."""
    return max(component.block, 0)


def _marker(text: str) -> Piece:
    return Piece(PieceKind.MARKER, text)


def _markers(texts: Sequence[str]) -> list[Piece]:
    return [_marker(text) for text in texts]
