"""Every text of workers' pages is marked for translation: a language shows what is not."""

import pytest
from django.template import engines
from django.utils import translation
from django.utils.translation import gettext, ngettext, pgettext

from hits import families
from tests.languages.conftest import OF_WORKERS, Spoken
from tests.languages.pseudo import mark, speaking_pseudo
from tests.languages.unmarked import find_unmarked

pytestmark = [pytest.mark.django_db, pytest.mark.pure]
# Pages that are read at least, with the question pages of every task among them.
READ = {
    "worker site": 13,
    "play": 11,
    "statement": 20,
    "workspace": 6,
    "frames": 2 * len(families.registered()),
    "answers": 10,
}


@pytest.mark.parametrize("site", [*OF_WORKERS, "answers"])
def test_every_text_of_workers_pages_is_marked(spoken: Spoken, site: str) -> None:
    pages = spoken.pages[site]
    unmarked = {
        page.address: found for page in pages if (found := find_unmarked(page.text, data=spoken.data))
    }

    assert unmarked == {}
    assert len([page for page in pages if "⟦" in page.text]) >= READ[site]


def test_what_is_marked_is_spoken_in_brackets_and_with_accents() -> None:
    template = engines["django"].from_string(
        "{% load i18n %}{% translate 'Good day' %} {{ name }}"
        "{% blocktranslate count n=2 %}{{ n }} page{% plural %}{{ n }} <b>pages</b>{% endblocktranslate %}"
    )

    with speaking_pseudo(), translation.override("en"):
        said = [gettext("Well %(how)s"), ngettext("%d page", "%d pages", 1), pgettext("of a door", "key")]
        page = template.render({"name": "Owl"})

    assert said == ["⟦Wéll %(how)s⟧", "⟦%d págé⟧", "⟦kéy⟧"]
    assert page == "⟦Góód dáy⟧ Owl⟦2 <b>págés</b>⟧"
    assert gettext("Good day") == "Good day"


def test_signs_alone_are_no_text() -> None:
    assert mark("%(percent)s %%") == "%(percent)s %%"


@pytest.mark.parametrize(
    ("html", "data", "unmarked"),
    [
        ("<p>⟦Góód <b>dáy</b>⟧ Owl</p>", {"Owl"}, []),
        ("<p>⟦Góód dáy⟧ Owl and</p>", {"Owl"}, ["Owl and"]),
        ("<p>Owls</p>", {"Owl"}, ["Owls"]),
        ('<img alt="Owl"><button value="send">⟦Sénd⟧</button>', set(), ["Owl"]),
        ('<input type="submit" value="Send"><input value="written">', set(), ["Send"]),
        ("<p>12 % – $0.03</p><style>p {}</style>", set(), []),
    ],
)
def test_unmarked_texts_are_found_between_marked_ones(html: str, data: set[str], unmarked: list[str]) -> None:
    assert find_unmarked(html, data=data) == unmarked
