"""Which Jinja texts turn messages into a prompt."""

from __future__ import annotations

import pytest

from promptlint.readers.template.kind import is_chat_template


@pytest.mark.parametrize(
    "text",
    [
        "{%- for m in messages %}{{ m.content }}{% endfor %}",
        "{% for message in messages[1:] %}{{ message }}{% endfor %}",
        "{% set loop_messages = messages %}",
        "{{ messages[0]['content'] }}",
        "{{ messages | tojson }}",
        "{% if add_generation_prompt %}<assistant>{% endif %}",
        "{{ '{' }}{% for m\n in messages %}{{ m }}{% endfor %}",
    ],
)
def test_it_goes_through_the_messages(text: str) -> None:
    assert is_chat_template(text)


@pytest.mark.parametrize(
    "text",
    [
        "Look for spelling errors in messages from {{ name }} and in messages[0].",
        "{{ name }} writes messages[0] = messages",
        "{# for m in messages #}{{ name }}",
        "{% for mail in mails %}{{ mail }} {% endfor %}in messages",
        "{{ messages }}",
        "{% for m in messages_of_today %}{{ m }}{% endfor %}",
        "for m in messages: print(m)",
    ],
)
def test_it_is_a_prompt_with_placeholders_or_no_template(text: str) -> None:
    assert not is_chat_template(text)


def test_a_large_text_of_open_tags_is_read_in_time() -> None:
    assert not is_chat_template("}}" + "in messages " * 200_000)
