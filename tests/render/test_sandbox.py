from __future__ import annotations

from collections.abc import Callable

import pytest

from promptlint.model.errors import InputError
from promptlint.model.prompt import Prompt, Section
from promptlint.render import ChatTemplate, limits, render
from promptlint.render.limits import LimitExceeded, Meter, weigh

ORDER = (Section.TOOLS, Section.SYSTEM, Section.MESSAGES)
BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}

STEPS = "does not end within"
TEXT = "characters of text"
ITEMS = "items"
REFUSED = "failed: "

HOSTILE = {
    "nested loops": ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", STEPS),
    "loops that filter all": (
        "{% for a in range(9999) %}{% for b in range(99999) if false %}{% endfor %}{% endfor %}",
        STEPS,
    ),
    "a range too large": ("{% for a in range(10**9) %}{% endfor %}", "Range too big"),
    "filters that loop": (
        "{% for a in range(99999) %}{{ range(99999) | map('string') | list | length }}{% endfor %}",
        STEPS,
    ),
    "tests that loop": (
        "{% set x = range(999) | list %}{% for a in x %}{{ x | select('in', x) | list }}{% endfor %}",
        STEPS,
    ),
    "a macro that calls itself": ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "too deeply"),
    "a macro that calls itself twice": (
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
        STEPS,
    ),
    "a recursive loop": (
        "{% for x in [1, 2] recursive %}{% if loop.depth < 60 %}{{ loop([1, 2]) }}{% endif %}{% endfor %}",
        STEPS,
    ),
    "a block that calls itself": ("{% block a %}{{ self.a() }}{% endblock %}", "too deeply"),
    "deep nesting": ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "too deeply"),
    "text times a number": ("{{ 'a' * 10**9 }}", TEXT),
    "a list times a number": ("{{ [1] * 10**9 }}", TEXT),
    "doubling by +": (
        "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}",
        TEXT,
    ),
    "doubling by ~": (
        "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
        TEXT,
    ),
    "doubling by a block": (
        "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x %}{{ n.x }}{{ n.x }}{% endset %}{% endfor %}",
        TEXT,
    ),
    "doubling lists": (
        "{% set n = namespace(x=[], y=[]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% set n.y = [n.y,n.y] %}"
        "{% endfor %}{{ n.x == n.y }}",
        ITEMS,
    ),
    "doubling arguments": (
        "{% set n = namespace(x=1) %}{% macro f() %}{% set n.x = varargs %}{% endmacro %}"
        "{% for i in range(60) %}{{ f(n.x, n.x) }}{% endfor %}",
        ITEMS,
    ),
    "replace": ("{{ ('a' * 99999).replace('a', 'b' * 99999) }}", TEXT),
    "the replace filter": ("{{ ('a' * 99999) | replace('a', 'b' * 99999) }}", TEXT),
    "join": ("{{ ('b' * 99999).join(range(9999) | map('string')) }}", TEXT),
    "the join filter": ("{{ range(9999) | join('b' * 99999) }}", TEXT),
    "indent": ("{{ ('\n' * 999999) | indent(99) }}", TEXT),
    "json": ("{{ (['x' * 99999] * 9999) | tojson }}", TEXT),
    "output": ("{% for i in range(99) %}{{ 'x' * 999999 }}{% endfor %}", "it prints more than"),
    "powers": ("{{ 10 ** (10 ** 10) }}", "bits"),
    "powers by *": (
        "{% set n = namespace(x=3) %}{% for i in range(60) %}{% set n.x = n.x * n.x %}{% endfor %}",
        "bits",
    ),
    "a wide format": ("{{ '%999999999d' % 1 }}", REFUSED),
    "a wide str.format": ("{{ '{:>999999999}'.format(1) }}", REFUSED),
    "a computed width": ("{{ '{:>{}}'.format(1, 10 ** 9) }}", REFUSED),
    "padding": ("{{ 'a'.ljust(10 ** 9) }}", REFUSED),
    "the sum of lists": ("{{ [[1]] | sum(start=[]) }}", REFUSED),
    "rounding": ("{{ 1.5 | round(10 ** 9) }}", REFUSED),
    "classes": ("{{ ''.__class__.__mro__ }}", REFUSED),
    "classes by item": ("{{ ''['__class__']['__mro__'] }}", REFUSED),
    "classes by filter": ("{{ (messages | attr('__class__')).__mro__ }}", REFUSED),
    "globals": ("{{ raise_exception.__globals__['sys'] }}", REFUSED),
    "format to an attribute": ("{{ '{0.__class__.__mro__}'.format(1) }}", REFUSED),
    "changing the messages": ("{{ messages.append(1) }}", REFUSED),
    "bytes": ("{{ (1).to_bytes(10 ** 9, 'big') }}", REFUSED),
    "a mapping of one value": ("{{ dict.fromkeys(range(9), 1) }}", REFUSED),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_templates_end_in_a_clear_error(
    prompt_of: Callable[..., Prompt],
    template_of: Callable[[str], ChatTemplate],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setattr(limits, "MAX_STEPS", 50_000)
    text, message = HOSTILE[name]
    template = template_of(text)
    with pytest.raises(InputError, match=message) as caught:
        render(prompt_of(BODY), ORDER, template)
    assert caught.value.name == template.name


def test_honest_templates_may_use_what_they_need(
    prompt_of: Callable[..., Prompt], template_of: Callable[[str], ChatTemplate]
) -> None:
    text = (
        "{% set n = namespace(x=[]) %}{% for i in range(3) %}{% set n.x = n.x + [i * 2] %}{% if i == 1 %}{% break %}"
        "{% endif %}{% endfor %}{{ n.x }} {{ '%02d' % 7 }} {{ '{:.1f}|{}'.format(2.5, 'a') }} {{ 'ab' * 2 }} "
        "{{ {'b': 1, 'a': 2} | dictsort | map(attribute=0) | join(',') }} {{ 'a-b'.split('-')[1:] }} "
        "{{ dict(a=1).items() | list }} {{ 'x' in ['x'] }} {{ 7 % 4 }} {{ 2 ** 10 }} {{ 'a\n b' | indent(2) }}"
    )
    assert render(prompt_of(BODY), ORDER, template_of(text)).text() == (
        "[0, 2] 07 2.5|a abab a,b ['b'] [('a', 1)] True 3 1024 a\n   b"
    )


def test_processor_time_ends_what_steps_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_SECONDS", -1.0)
    with pytest.raises(LimitExceeded, match="seconds"):
        Meter().step()


def test_weight_counts_a_value_as_often_as_it_occurs() -> None:
    text = "x" * 100
    assert weigh([text] * 10) > 1000
    assert weigh({"k": [text]}, 1) < 200
    with pytest.raises(LimitExceeded):
        weigh([[text] * 1000] * 1000)
