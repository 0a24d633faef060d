"""Catalogs of translations: `python -m tests.catalogs [check | refresh | left CODE | add CODE]`

`check` reads the code and every catalog and says what is wrong, as CI does. `refresh` brings the texts of
the code into the catalogs, puts those into the form that is kept, and compiles the ones that are complete.
`left` lists what a language does not say yet, with the places in the code. `add` begins a language.
None of them needs the tools of gettext.
"""

import argparse
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

import django

from tests.catalogs.code_texts import texts_of
from tests.catalogs.compiling import compile_catalog
from tests.catalogs.entries import PLACE, Catalog, Text, catalogs_in, merge, read_catalog, write_catalog
from tests.catalogs.faults import REFRESH, faults_of, faults_of_files, unsaid

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "config/locale"
DJANGOS = Path(django.__file__).parent / "conf/locale"


def check(folder: Path, texts: Collection[Text]) -> Iterator[str]:
    """Yield what is wrong. A language without its compiled file is being made, and may be incomplete."""
    for path, catalog in catalogs_in(folder):
        code = path.parent.parent.name
        for fault in faults_of(catalog, code=code, texts=texts):
            yield f"{code}: {fault}"
        if path.with_suffix(".mo").exists():
            yield from (f"{code}: {fault}" for fault in unsaid(catalog))
        elif not catalog.left:
            yield f"{code}: it is complete and not offered: {REFRESH}"
        yield from (f"{code}: {fault}" for fault in faults_of_files(path, catalog))


def refresh(folder: Path, texts: Collection[Text]) -> Iterator[str]:
    for path, catalog in catalogs_in(folder):
        code = path.parent.parent.name
        merged = replace(merge(catalog, texts), language=code)
        path.write_text(write_catalog(merged), encoding="utf-8")
        if not merged.left:
            path.with_suffix(".mo").write_bytes(compile_catalog(merged))
        yield _told(code, merged)


def add(folder: Path, texts: Collection[Text], *, code: str) -> Iterator[str]:
    """Begin a language, with the plural rule that Django has for it."""
    plurals = read_catalog((DJANGOS / code / PLACE).read_text(encoding="utf-8")).plurals
    path = folder / code / PLACE
    path.parent.mkdir(parents=True)
    begun = merge(Catalog(language=code, plurals=plurals), texts)
    path.write_text(write_catalog(begun), encoding="utf-8")
    yield _told(code, begun)


def left(folder: Path, places: dict[Text, list[str]], *, code: str) -> Iterator[str]:
    catalog = read_catalog((folder / code / PLACE).read_text(encoding="utf-8"))
    said = {entry.text for entry in catalog.entries if entry.is_said}
    for text, where in places.items():
        if text not in said:
            yield f"{', '.join(where)}\n    {text.one}"


def _told(code: str, catalog: Catalog) -> str:
    said = len(catalog.entries) - len(catalog.left)
    state = "complete" if not catalog.left else "not complete, not compiled"
    return f"{code}: {said} of {len(catalog.entries)} texts, {state}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("verb", nargs="?", default="check", choices=("check", "refresh", "left", "add"))
    parser.add_argument("code", nargs="?", default="", help="the folder's name: de, pt_BR")
    asked = parser.parse_args()
    places = texts_of(ROOT)
    if asked.verb == "check":
        faults = list(check(FOLDER, places))
        print("\n".join(faults), end="\n" * bool(faults))  # noqa: T201
        return 1 if faults else 0
    if asked.verb == "refresh":
        done = refresh(FOLDER, places)
    elif asked.verb == "add":
        done = add(FOLDER, places, code=asked.code)
    else:
        done = left(FOLDER, places, code=asked.code)
    print("\n".join(done))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
