"""Who a prompt is for: names, addresses and ids of users, tenants and conversations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from promptlint.matchers._frames import frames, trimmed
from promptlint.matchers._labels import block_titles, labelled, neighbour_labels, words_of
from promptlint.matchers._sites import Site, go_on_alike
from promptlint.matchers._values import ValuePair, compiled, labelled_pairs, pair_of, value_pairs
from promptlint.matchers._vocabulary import words
from promptlint.matchers._wording import in_example

_MAIL = (r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}",)
_MENTION = r"<@!?\w{6,24}>"
_OFFICE = (
    r"(?:support|help|info|contact|sales|admin|office|hello|team|billing|service|noreply|no-reply|desk|press|jobs|hr|"
    r"legal|privacy|security|orders?|returns?|booking)[\w.+-]*@"
)
# A name: capitalised words (or words of a script without case) with the small ones that names have.
_NAME = (
    r"(?-i:(?:(?:Dr|Mr|Mrs|Ms|Prof|Sra?|Mme|M|Herr|Frau)\.?\s)?"
    r"(?:[A-Z]\.|[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+){0,3})"
    r"(?:\s(?:(?:de|del|della|di|da|dos|do|van|von|der|den|ter|bin|ibn|al|el|la|le|y|zu|af|"
    r"st)\s){0,3}(?:[dlo]['’]|Mac|[ae]l-)?"
    r"(?:[A-Z]\.|[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+){0,3})){0,4})",
)
_PHRASES = (
    r"\b(?:sprechen|sprichst|reden|chatten|parlez|parles|hablas|habla) (?:(?:gerade|jetzt) )?(?:mit|avec|à|con)\s",
    r"\b(?:(?:talk|speak|chatt|reply|writ|listen)ing (?:to|with|for)|assist(?:s|ing)?|"
    r"assistant (?:of|to|for)|helping|serving|(?:opened|raised|reported|requested|submitted|filed) by|"
    r"on behalf of|logged in as|signed in as|authenticated as|(?:you )?(?:work|act|answer) for|employed "
    r"(?:by|at)|addressed to|"
    r"(?:the |this )?(?:user|customer|client|caller|person|member|patient|student|guest)(?:'s)?(?: full)?(?: name)?"
    r" (?:is|are)(?: named| called)?|name is|conversation with|session (?:of|with|for)|profile of|(?:from|by) user)"
    r"\s+(?:the (?:user|customer|client|company)\s+)?[\"'“*]{0,2}",
)
_TITLE = re.compile(r"\b(?:[A-Z]|Dr|Mrs?|Ms|Prof|St|Sra?|Mme|Inc|Co|Ltd)\.")
_SENTENCE = re.compile(r"[.!?]\s|\b(?:should|must|please|always|never|do not|don't)\b", re.IGNORECASE).search
PATTERNS = (*_MAIL, _MENTION, _OFFICE, *_NAME, *_PHRASES)


def people(site: Site) -> Iterator[tuple[ValuePair, bool]]:
    """Values that name a user, tenant or conversation and differ."""
    for pair in value_pairs(site, (*_MAIL, _MENTION)):
        mailboxes = [compiled(_OFFICE).match(text, 0, len(text)) for text in (pair.before_text, pair.after_text)]
        if not any(mailboxes) and _stands(site, pair):
            yield pair, False
    for pair in labelled_pairs(site, _PHRASES, _NAME):
        if _stands(site, pair):
            yield pair, True
    for value in labelled(site):
        pair = value.pair
        values = (pair.before_text, pair.after_text)
        if any(map(_prose, values)) or (value.verb and not all(map(_name_or_id, values))) or not _stands(site, pair):
            continue
        if names_someone(value.words):
            yield pair, True
        elif value.own_line and not value.words & _of_others() and _in_profile(site):
            yield pair, False
    for pair in _profiles(site):
        yield pair, False


def _profiles(site: Site) -> Iterator[ValuePair]:
    """The text about a user, customer or company below its title, where it is another one's."""
    if site.same_conversation:
        return
    for frame in islice(frames(site), 1):
        if _titles_profile(words_of(frame.title)):
            before, after = trimmed(site, frame)
            old, new = (
                set(text.lower().split())
                for text in (site.before[before.start : before.end], site.after[after.start : after.end])
            )
            if old and new and len(old & new) * 2 <= min(len(old), len(new)):
                yield pair_of(site, before, after)


def _of_others() -> frozenset[str]:
    """Words of labels that tell what else a line is about, whatever block it stands in."""
    return words("not_people") | words("bounds") | words("counted") | words("written") - words("fields")


def _titles_profile(title: frozenset[str]) -> bool:
    return bool(title & words("profiles")) and title <= words("profiles") | words("profile_titles")


def names_someone(label: frozenset[str]) -> bool:
    """Whether a label is one of identity: `user`, `customer id`, `full name`, `conversation`."""
    if label & words("not_people"):
        return False
    return bool(label & words("owners")) or (
        "name" in label and bool(label & {"full", "first", "last", "display", "nick"})
    )


def _in_profile(site: Site) -> bool:
    """Whether the line stands in a block about a person or company: its title or most of its other lines say so."""
    titles = [words_of(title) for title in block_titles(site.after, site.first)]
    if any(map(_titles_profile, titles)):
        return True
    others = neighbour_labels(site.after, site.first)
    about = sum(
        names_someone(label) or bool(label & words("fields") and not label & words("not_people")) for label in others
    )
    return about >= 2 and about * 2 > len(others) and any(map(names_someone, others))


def _stands(site: Site, pair: ValuePair) -> bool:
    return go_on_alike(site, pair.before.end, pair.after.end) and not in_example(site.after, pair.after.start)


def _prose(value: str) -> bool:
    """Whether a value is a sentence rather than a name or an id."""
    plain = _TITLE.sub("", value)
    return len(plain.split()) > 8 or plain.endswith(("?", "!")) or _SENTENCE(plain) is not None


def _name_or_id(value: str) -> bool:
    return compiled(_NAME[0]).fits(value) or any(map(str.isdigit, value))
