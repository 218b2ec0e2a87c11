"""A prompt in cache order: slots of pieces, each piece a run of text, a structural marker or an opaque block."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from promptlint.model.prompt import Component


class PieceKind(enum.Enum):
    TEXT = "text"  # encoded with the vocabulary
    MARKER = "marker"  # one structural token (`<|start|>`, `<|end|>`, …), never mixed into the text around it
    OPAQUE = "opaque"  # an image or document: a stated number of tokens that stand for its content hash


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of the rendering.

    `offset` is where the run begins in the component's text, or -1 where it is scaffolding that only stands near it.
    `tokens` counts an opaque piece and is 0 otherwise.
    """

    kind: PieceKind
    text: str
    offset: int = -1
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Slot:
    """A component and the pieces it became. Every piece belongs to exactly one slot, so every token to a component."""

    component: Component
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Rendering:
    """What the model sees, in cache order.

    `joined` false: pieces are encoded one by one, because the real separators are special tokens over which no
    merge happens (hosted models; their exact layout is not public). True: the text of all pieces is one string that
    is encoded as a whole with its special tokens (a chat template's output, or a plain text file).
    `exact` false carries the reason in `reason`; `notes` say what was assumed (a pinned clock).
    """

    slots: tuple[Slot, ...]
    joined: bool
    exact: bool
    reason: str = ""
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """The whole rendering, markers and content hashes included."""
        return "".join(piece.text for slot in self.slots for piece in slot.pieces)
