"""Numbers and days are written as the language does where people read, and as programs do elsewhere."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from django.template import engines
from django.utils import translation

from crowd.marketplace.templatetags.moments import moment
from tests.languages.conftest import OF_WORKERS, Spoken
from tests.languages.pseudo import speaking_pseudo

pytestmark = [pytest.mark.django_db, pytest.mark.pure]
WITH_COMMA = re.compile(r"-?[0-9]+,[0-9]+")
# What these say is read to people.
READ = {"alt", "title", "placeholder", "aria-label", "aria-description", "aria-valuetext"}


class Attributes(HTMLParser):
    """A reader of numbers with a comma, which a script, a form or a drawing would take for something else."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name not in READ and value and WITH_COMMA.fullmatch(value.strip()):
                self.found.append(f"{tag} {name}={value}")


def misread(html: str) -> Iterator[str]:
    reader = Attributes()
    reader.feed(html)
    yield from reader.found


@pytest.mark.parametrize("site", [*OF_WORKERS, "answers"])
def test_no_attribute_has_a_number_that_only_people_could_read(spoken: Spoken, site: str) -> None:
    found = {page.address: told for page in spoken.pages[site] if (told := [*misread(page.text)])}

    assert found == {}


def test_a_number_with_a_comma_is_found() -> None:
    page = '<meter value="{{ n }}" title="{{ n }}"></meter><b>{{ n }}</b>'

    with speaking_pseudo(), translation.override("en"):
        html = engines["django"].from_string(page).render({"n": 0.5})

    assert html == '<meter value="0,5" title="0,5"></meter><b>0,5</b>'
    assert list(misread(html)) == ["meter value=0,5"]


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "29 Nov 2026, 08:05 UTC"),
        ("de", "29. November 2026 08:05 UTC"),
        ("zh-hans", "2026年11月29日 08:05 UTC"),
    ],
)
def test_a_moment_is_written_in_the_order_of_the_language(language: str, written: str) -> None:
    with translation.override(language):
        assert written in moment(datetime(2026, 11, 29, 8, 5, tzinfo=UTC))
