"""Prompt to the text the model sees, in the provider's order, every part of it mapped back to its component."""

from __future__ import annotations

from datetime import datetime

from promptlint.model.prompt import Prompt, Section
from promptlint.model.rendering import Piece, PieceKind, Rendering, Slot
from promptlint.render.load import PINNED_DATE, ChatTemplate, has_chat_template, load_chat_template
from promptlint.render.order import cache_order

__all__ = ["PINNED_DATE", "ChatTemplate", "cache_order", "has_chat_template", "load_chat_template", "render"]

# Wire formats whose text is what the model sees.
_AS_IT_STANDS = frozenset({"text", "openai-completions"})


def render(
    prompt: Prompt,
    order: tuple[Section, ...],
    template: ChatTemplate | None = None,
    *,
    add_generation_prompt: bool = True,
    now: datetime = PINNED_DATE,
    hosted: bool = True,
) -> Rendering:
    """The prompt as the model sees it.

    Plain text and raw completion prompts stand as they are; no template is applied to them. A request without
    `template` gets the hosted layout: components in `order` with structural markers between them, not exact. With
    `template`, an OpenAI chat body is rendered through it; `order` is then the template's own.
    `add_generation_prompt` is what a server encodes (a field of that name in the body wins); `now` is what the
    template's clock shows; `hosted` false: a server for which the template could be given. Raises InputError.
    """
    if prompt.wire in _AS_IT_STANDS:
        return _plain(prompt)
    if template is None:
        from promptlint.render.hosted import render_hosted

        return render_hosted(prompt, order, hosted=hosted)
    from promptlint.render.chat import render_chat

    return render_chat(prompt, template, add_generation_prompt=add_generation_prompt, now=now)


def _plain(prompt: Prompt) -> Rendering:
    slots = (
        Slot(component, (Piece(PieceKind.TEXT, component.text, 0),) if component.text else ())
        for component in prompt.components
    )
    return Rendering(tuple(slots), joined=True, exact=True)
