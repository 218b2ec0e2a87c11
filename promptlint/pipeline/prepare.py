"""A prompt made ready: its policy, rendering, tokens and cache marks, with what one run shares among all prompts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint import policies, providers, render, rulebook, tokenizers
from promptlint.model.finding import Finding, Scope
from promptlint.model.matching import Note, Pair, Single
from promptlint.model.policy import CachePolicy, Marks
from promptlint.model.prompt import Prompt, Setting
from promptlint.model.rendering import Rendering
from promptlint.model.tokens import TokenSequence
from promptlint.pipeline.options import Options
from promptlint.rulebook.explain import applies
from promptlint.rulebook.findings import of_note
from promptlint.sources.files import beside, lies_in, text_of, top_of

if TYPE_CHECKING:  # each is loaded for the files that need it
    from promptlint.readers import code
    from promptlint.readers import template as templates

FILES = ("text", "parts")  # wire formats of prompt files: no request, so no chat template and no markers


@dataclass(frozen=True, slots=True)
class Prepared:
    prompt: Prompt
    rendering: Rendering
    tokens: TokenSequence
    marks: Marks


class Workshop:
    """What all comparisons of one run share: options, rulebook, templates and vocabularies (each loaded once)."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.book = rulebook.load_with(options.rules) if options.rules else rulebook.load()
        self.reported = self.book.chosen(options.select, options.ignore)
        self._choices: dict[str, tokenizers.Choice] = {}

    @cached_property
    def code(self) -> code.Reader:
        """Reads source code; what one file imports from another is read once."""
        from promptlint.readers import code

        files = code.Files(exists=os.path.isfile, text=text_of, listing=beside, top=top_of, inside=lies_in)
        return code.Reader(files, self.options.code)

    @cached_property
    def templates(self) -> templates.Reader:
        """Reads prompt templates; what several of them include is read once."""
        from promptlint.readers import template as templates

        files = templates.Files(text=text_of, top=top_of, inside=lies_in)
        return templates.Reader(files, self.options.placeholders or templates.Names())

    @cached_property
    def template(self) -> render.ChatTemplate | None:
        """The chat template that the user names, or that lies in the tokenizer's folder."""
        if self.options.chat_template:
            return render.load_chat_template(self.options.chat_template, self._tokenizer_folder())
        folder = self._tokenizer_folder()
        if folder and render.has_chat_template(folder):
            return render.load_chat_template(folder)
        return None

    def _tokenizer_folder(self) -> str | None:
        name = self.options.tokenizer
        return name if name and Path(name).is_dir() else None

    def policy(self, prompt: Prompt, *others: Prompt) -> CachePolicy:
        """What a prompt falls under; markers in `others` count like its own."""
        marked = any(component.breakpoint for each in (prompt, *others) for component in each.components)
        return providers.find(self.options.provider, prompt.wire, self.model(prompt), has_markers=marked)

    def model(self, prompt: Prompt) -> str:
        return self.options.model or prompt.model

    def choice(self, prompt: Prompt) -> tokenizers.Choice:
        model = self.model(prompt)
        if model not in self._choices:
            self._choices[model] = tokenizers.choose(model, self.options.tokenizer, self.options.cache)
        return self._choices[model]

    def remember(self) -> None:
        """Keeps what was encoded for later runs, where the options name a cache."""
        for choice in self._choices.values():
            choice.tokenizer.remember()

    def tokenize(self, rendering: Rendering, prompt: Prompt) -> TokenSequence:
        specials = self.template is not None and prompt.wire not in FILES
        return tokenizers.tokenize(rendering, self.choice(prompt), specials=specials)

    def prepare(self, prompt: Prompt, policy: CachePolicy) -> Prepared:
        return self.prepare_both((prompt,), policy)[0]

    def prepare_both(self, prompts: Sequence[Prompt], policy: CachePolicy) -> list[Prepared]:
        """Two versions of a prompt: what their texts need of a vocabulary is loaded once."""
        renderings = [self._rendered(prompt, policy) for prompt in prompts]
        for prompt in prompts:
            self.choice(prompt).tokenizer.expect([text for each in renderings for text in tokenizers.texts(each)])
        return [
            self._prepared(prompt, rendering, policy) for prompt, rendering in zip(prompts, renderings, strict=True)
        ]

    def _rendered(self, prompt: Prompt, policy: CachePolicy) -> Rendering:
        template = self.template if prompt.wire not in FILES else None
        return render.render(prompt, policy.order, template, hosted=policy.hosted)

    def _prepared(self, prompt: Prompt, rendering: Rendering, policy: CachePolicy) -> Prepared:
        tokens = self.tokenize(rendering, prompt)
        return Prepared(prompt, rendering, tokens, self.marks(rendering, tokens, prompt, policy))

    def marks(
        self,
        rendering: Rendering,
        tokens: TokenSequence,
        prompt: Prompt,
        policy: CachePolicy,
        settings: Sequence[Setting] | None = None,
    ) -> Marks:
        components = [slot.component for slot in rendering.slots]
        return policies.marks(
            components,
            tokens.slot_ends,
            prompt.settings if settings is None else settings,
            policy,
            exact=tokens.exact,
        )

    def findings_on(
        self, prepared: Prepared, policy: CachePolicy, scope: Scope, pair: Pair | None = None
    ) -> list[Finding]:
        """Findings of the rules that need only one request; `pair` is this one with an earlier one."""
        single = Single(
            prompt=prepared.prompt,
            components=tuple(slot.component for slot in prepared.rendering.slots),
            ends=tuple(prepared.tokens.slot_ends),
            marks=prepared.marks,
            policy=policy,
            exact=prepared.tokens.exact,
            pair=pair,
        )
        return [
            of_note(rule, note, prepared.prompt, policy, scope)
            for rule in self.reported.on("prompt")
            if applies(rule, policy, scope)
            for note in rule.matcher.notes(single, rule.params)
            if not _without_ground(note, prepared.prompt)
        ]


def _without_ground(note: Note, prompt: Prompt) -> bool:
    """Whether a note is about what the files of a prompt cannot show: the request, and the markers in it.

    Of a declared prompt the whole is known, so its assumed markers may be too early; a lone text may be a small part.
    """
    if prompt.wire not in FILES:
        return False
    marker = note.component.breakpoint if note.component else None
    return note.component is None or (prompt.wire == "text" and marker is not None and marker.assumed)
