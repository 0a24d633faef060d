"""A catalog says everything that the code does, as the code says it, or CI refuses it with a sentence."""

from dataclasses import replace
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.catalogs.__main__ import FOLDER, ROOT, add, check, left, refresh
from tests.catalogs.code_texts import texts_of, texts_of_module, texts_of_template
from tests.catalogs.compiling import compile_catalog
from tests.catalogs.entries import PLACE, Catalog, Entry, Text, merge, read_catalog, write_catalog
from tests.catalogs.faults import faults_of

pytestmark = pytest.mark.pure
SLAVIC = "nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);"
GERMAN = "nplurals=2; plural=(n != 1);"
DAY, PAGES = Text(one="Good day"), Text(one="%(n)s page", many="%(n)s pages")
LINK = Text(one='Read <a href="%(url)s">all</a>, {name}: 5 %%')
KEY = Text(one="key", context="of a door")


def of(**said: Any) -> Catalog:
    """A German catalog of the four texts, of which some are said otherwise."""
    words = {
        DAY: said.get("day", ("Guten Tag",)),
        PAGES: said.get("pages", ("Eine Seite", "%(n)s Seiten")),
        LINK: said.get("link", ('Lies <a href="%(url)s">alles</a>, {name}: 5 %%',)),
        KEY: said.get("key", ("Schlüssel",)),
    }
    entries = tuple(Entry(text=text, said=words[text]) for text in sorted(words))
    return Catalog(language="de", plurals=GERMAN, entries=entries)


def keep(folder: Path, catalog: Catalog, *, offered: bool = True) -> Path:
    path = folder / catalog.language / PLACE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(write_catalog(catalog))
    if offered:
        path.with_suffix(".mo").write_bytes(compile_catalog(catalog))
    return path


def test_what_is_committed_is_what_the_code_says() -> None:
    assert list(check(FOLDER, texts_of(ROOT))) == []


def test_texts_of_modules_are_found_under_every_name_of_the_functions() -> None:
    source = (
        "from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext_lazy\n"
        "from elsewhere import say\n"
        "_('Good '\n  'day'); gettext_lazy('Bye'); say('nothing')\n"
        "f\"{ngettext('a page', 'pages', 2)}\"\n"
        "pgettext_lazy('of a door', 'key'); _(name)\n"
    )

    assert sorted((text, text.many) for _, text in texts_of_module(source)) == [
        (Text(one="Bye"), ""),
        (Text(one="Good day"), ""),
        (Text(one="a page"), "pages"),
        (Text(one="key", context="of a door"), ""),
    ]


def test_texts_of_templates_are_found_in_tags_and_filters() -> None:
    source = (
        '{% load i18n %}{% translate "It\'s 5 %" %}{% translate "key" context "of a door" %}\n'
        "{% blocktranslate trimmed with a=b %}\n  Good\n  {{ a }} 5 %\n{% endblocktranslate %}\n"
        "{% blocktranslate count n=m %}{{ n }} page{% plural %}{{ n }} pages{% endblocktranslate %}"
        '{{ a|default:_("no name") }}{% include "x.html" with label=_("Label") %}'
        "{% comment %}{% translate 'No' %}{% endcomment %}"
    )

    assert [(line, text.one, text.many) for line, text in texts_of_template(source)] == [
        (1, "It's 5 %%", ""),
        (1, "key", ""),
        (2, "Good %(a)s 5 %%", ""),
        (6, "%(n)s page", "%(n)s pages"),
        (6, "no name", ""),
        (6, "Label", ""),
    ]


def test_a_file_is_read_as_it_was_written() -> None:
    said = of(day=('"Guten"\n\tTag \\n',))

    assert read_catalog(write_catalog(said)) == said


def test_files_of_other_tools_are_read() -> None:
    source = (
        '# A comment\n#, fuzzy\nmsgid ""\nmsgstr ""\n"Language: de\\n"\n'
        '"Plural-Forms: nplurals=2; "\n"plural=(n != 1);\\n"\n\n'
        '#: a.py:1\n#, fuzzy, python-format\n#| msgid "Day"\nmsgid ""\n"Good "\n"day"\nmsgstr "Guten Tag"\n\n'
        '#~ msgid "Gone"\n#~ msgstr "Weg"\n'
    )

    read = read_catalog(source)

    assert read == Catalog(
        language="de", plurals=GERMAN, entries=(Entry(text=DAY, said=("Guten Tag",), is_fuzzy=True),)
    )


def test_a_compiled_catalog_is_read_by_gettext() -> None:
    read = GNUTranslations(BytesIO(compile_catalog(of(key=("",)))))

    assert read.gettext("Good day") == "Guten Tag"
    assert [read.ngettext(PAGES.one, PAGES.many, n) for n in (1, 2)] == ["Eine Seite", "%(n)s Seiten"]
    assert read.pgettext("of a door", "key") == "key"
    assert read.info()["language"] == "de"


TEXTS = (DAY, PAGES, LINK, KEY)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"link": ('Lies <a href="%(url)s">alles</a>: 5 %%',)}, "is said without {name}"),
        (
            {"link": ('Lies <a href="%(ur)s">alles</a>, {name}',)},
            "is said with %(ur)s, which the text does not",
        ),
        ({"link": ('Lies <a href="%(url)s">alles</a>, {name}: 5 %',)}, "single %, which has to be %%"),
        ({"link": ("Lies %(url)s alles, {name}",)}, "is said with other tags"),
        ({"link": ('Lies <a href="%(url)s">alles</b>, {name}',)}, "is said with other tags"),
        ({"pages": ("Eine Seite", "Seiten")}, "“%(n)s page” is said without %(n)s"),
        ({"pages": ("%(n)s Seiten",)}, "has 1 forms, where the language has 2"),
        ({"day": ("Guten Tag\n",)}, "begins or ends with a line break"),
    ],
)
def test_a_broken_translation_is_refused(changed: dict[str, Any], fault: str) -> None:
    said = list(faults_of(of(**changed), code="de", texts=TEXTS))

    assert any(fault in one for one in said), said
    assert list(faults_of(of(), code="de", texts=TEXTS)) == []


def test_forms_for_exactly_one_number_may_leave_it_out() -> None:
    said = Entry(text=PAGES, said=("one", "two", "%(n)s"))
    lost = replace(said, said=("one", "two", "many"))
    catalog = Catalog(language="sl", plurals=SLAVIC, entries=(said,))

    assert list(faults_of(catalog, code="sl", texts=[PAGES])) == []
    assert list(faults_of(replace(catalog, entries=(lost,)), code="sl", texts=[PAGES])) == [
        "“%(n)s page” is said without %(n)s"
    ]


def test_what_the_code_says_and_the_catalog_does_not_is_refused(tmp_path: Path) -> None:
    keep(tmp_path, of())

    assert list(check(tmp_path, [*TEXTS, Text(one="New")])) == [
        "de: “New” stands in the code and not here: run python -m tests.catalogs refresh"
    ]
    assert list(check(tmp_path, TEXTS[1:])) == [
        "de: “Good day” no longer stands in the code: run python -m tests.catalogs refresh"
    ]
    assert list(check(tmp_path, [replace(PAGES, many="%(n)s sheets"), DAY, LINK, KEY])) == [
        "de: “%(n)s page” has another plural in the code: run python -m tests.catalogs refresh"
    ]


def test_a_text_that_stands_twice_is_refused() -> None:
    twice = replace(of(), entries=(*of().entries, of().entries[0]))

    assert list(faults_of(twice, code="de", texts=TEXTS)) == [
        "“%(n)s page” stands here 2 times: run python -m tests.catalogs refresh"
    ]


def test_an_offered_language_with_a_fuzzy_or_empty_text_is_refused(tmp_path: Path) -> None:
    fuzzy = replace(of().entries[0], is_fuzzy=True)
    keep(tmp_path, replace(of(day=("",)), entries=(fuzzy, *of(day=("",)).entries[1:])))

    assert list(check(tmp_path, TEXTS)) == [
        "de: “%(n)s page” is fuzzy",
        "de: “Good day” is not translated",
    ]


def test_a_language_that_is_being_made_may_be_incomplete_and_not_wrong(tmp_path: Path) -> None:
    keep(tmp_path, of(day=("",), key=("<b>Schlüssel",)), offered=False)

    assert list(check(tmp_path, TEXTS)) == ["de: “key” is said with other tags"]


def test_a_header_that_is_not_that_of_the_folder_is_refused(tmp_path: Path) -> None:
    assert list(faults_of(replace(of(), plurals=""), code="fr", texts=[]))[:2] == [
        "its header says Language: de, its folder fr",
        "its header has no Plural-Forms",
    ]


def test_files_that_were_not_refreshed_are_refused(tmp_path: Path) -> None:
    path = keep(tmp_path, of())
    path.write_text(path.read_text().replace("Guten Tag", "Tag auch") + "\n# of an editor\n")

    assert list(check(tmp_path, TEXTS)) == [
        "de: the file is not as it is kept: run python -m tests.catalogs refresh",
        "de: django.mo is not what django.po says: run python -m tests.catalogs refresh",
    ]


def test_refreshing_keeps_what_is_said_and_compiles_what_is_complete(tmp_path: Path) -> None:
    path = keep(tmp_path, of(), offered=False)

    told = list(refresh(tmp_path, [*TEXTS, Text(one="New")]))
    was_offered = path.with_suffix(".mo").exists()
    complete = list(refresh(tmp_path, TEXTS))

    assert (told, was_offered) == (["de: 4 of 5 texts, not complete, not compiled"], False)
    assert complete == ["de: 4 of 4 texts, complete"]
    assert read_catalog(path.read_text()) == of()
    assert list(check(tmp_path, TEXTS)) == []


def test_a_text_whose_plural_came_or_went_is_asked_anew() -> None:
    asked = merge(of(), [replace(PAGES, many=""), replace(DAY, many="Good days")])

    assert [entry.said for entry in asked.entries] == [("",), ("", "")]


def test_a_language_is_begun_with_the_plural_rule_that_django_has(tmp_path: Path) -> None:
    told = list(add(tmp_path, TEXTS, code="he"))

    asked = list(left(tmp_path, {DAY: ["a.py:1", "b.html:2"]}, code="he"))
    assert told == ["he: 0 of 4 texts, not complete, not compiled"]
    assert read_catalog((tmp_path / "he" / PLACE).read_text()).forms == 4
    assert asked == ["a.py:1, b.html:2\n    Good day"]
