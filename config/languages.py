"""Languages in which workers' pages can be shown: English, and those with a catalog of translations."""

from collections.abc import Iterator
from pathlib import Path

from django.conf.locale import LANG_INFO

# The language in which the texts stand in the code.
SOURCE = "en"


def find_languages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the code and name of each language; a compiled catalog in the folder adds its own."""
    yield SOURCE, name_of(SOURCE)
    for catalog in sorted(folder.glob("*/LC_MESSAGES/django.mo")):
        code = catalog.parent.parent.name.replace("_", "-").lower()
        if code != SOURCE:
            yield code, name_of(code)


def name_of(code: str) -> str:
    """Return the English name of a language; one that Django does not know goes by its code."""
    return str(LANG_INFO.get(code, {}).get("name", code))
