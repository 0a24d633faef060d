"""Comparison of what is exported now with files exported earlier, byte by byte.

`WRITE_GOLDENS=1` rewrites those files: review the differences and commit them together with the change.
"""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq
from django.db.models import Model
from django.test import Client

from hits.data import exports
from hits.studies.models import Study
from tests.factories import NOW

KEYS = ["golden"]


def check_exported(folder: Path, written: Mapping[str, bytes]) -> None:
    """Compare the files with the folder; Parquet by its rows, since its bytes change with the library."""
    found = dict(_readable(name, content) for name, content in written.items())
    if os.environ.get("WRITE_GOLDENS"):
        folder.mkdir(exist_ok=True)
        for name, content in found.items():
            (folder / name).write_text(content, newline="")
    assert found == {name: (folder / name).read_bytes().decode() for name in found}


def _readable(name: str, content: bytes) -> tuple[str, str]:
    is_parquet = name.endswith(".parquet")
    return (f"{name}.txt", read_parquet(content)) if is_parquet else (name, content.decode())


def read_parquet(content: bytes) -> str:
    table = pq.read_table(BytesIO(content))
    rows = (json.dumps(row, default=datetime.isoformat, ensure_ascii=False) for row in table.to_pylist())
    return "".join(f"{line}\n" for line in (*str(table.schema).splitlines(), *rows))


def export_all(family: str, study: Study, folder: Path, **options: Any) -> dict[str, bytes]:
    """Return every file that `manage.py export` writes for a study, linkable, so that pseudonyms stay."""
    files = _exported(family, study, folder, **options)
    return {f"{path.parent.name}-{path.name}": path.read_bytes() for path in files}


def _exported(family: str, study: Study, folder: Path, **options: Any) -> Iterator[Path]:
    export = exports.get(family)
    for form in export.formats:
        for full in (False, True)[: 1 if form == "tsv" else 2]:
            wanted = exports.ExportChoice(
                study=study, format=form, full=full, everything=full, sources=(), linkable=True
            )
            out = folder / form / ("full" if full else "published")
            report = export.export(wanted=wanted, folder=out, tell=lambda *_: None, now=NOW, **options)
            assert (report["file"], report["study"], report["exported_at"]) == (
                str(out / report["name"]), study.name, NOW.isoformat(),
            )  # fmt: skip
            yield from sorted(out.iterdir())


def take(client: Client, page: str, what: str, form: str, **changes: str) -> bytes:
    """Return the bytes of the file that the admin sends for this form."""
    answer: Any = client.post(page, {"what": what, "form": form, "linkable": "on", **changes})
    return b"".join(answer.streaming_content)


def number_ids(*models: type[Model], **changes: Any) -> None:
    """Give each row an id that depends on nothing but the order in which the rows were made."""
    for kind, model in enumerate(models, start=1):
        for number, row in enumerate(model._default_manager.order_by("pk"), start=1):
            renamed = {name: change.format(number) for name, change in changes.items()}
            values = renamed or {"public_id": UUID(int=kind << 64 | number)}
            model._default_manager.filter(pk=row.pk).update(**values)
