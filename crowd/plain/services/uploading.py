"""Upload of rows from a file: all of them, or none and a message for every line that is wrong."""

from collections.abc import Sequence

import structlog
from django.db import transaction
from django.db.models import Max

from crowd.pictures.models import Picture
from crowd.plain.domain.pages import Page
from crowd.plain.models import Description, Project, Row, RowPicture
from crowd.plain.queries.described_pages import described
from crowd.plain.services.named_pictures import Pool
from hits.common.uploads import UploadedColumn
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import read_uploaded
from hits.core.errors import InvalidItems, RuleBroken
from hits.work.services.locking import held

MOST_BYTES = 5_000_000
MOST_ROWS = 5_000
AT_ONCE = 500
NO_PAGE = "Describe the page first: it says which columns a row needs."
log = structlog.get_logger()
Shown = dict[str, Picture]


def add_rows(*, project: Project, content: bytes) -> int:
    """Add rows, and return how many. Raises InvalidItems about the file, and RuleBroken about the page."""
    if len(content) > MOST_BYTES:
        raise InvalidItems([f"A file has at most {MOST_BYTES // 1_000_000} MB. Cut it into several."])
    with held(project) as locked:
        description = _open(locked)
        rows = _read(content, description.page)
        last = description.rows.aggregate(last=Max("number"))["last"] or 0
        made = Row.objects.bulk_create(
            (
                Row(description=description, number=number, cells=cells)
                for number, (cells, _) in enumerate(rows, start=last + 1)
            ),
            batch_size=AT_ONCE,
        )
        RowPicture.objects.bulk_create(
            (
                RowPicture(row=row, column=column, picture=picture)
                for row, (_, shown) in zip(made, rows, strict=True)
                for column, picture in shown.items()
            ),
            batch_size=AT_ONCE,
        )
    log.info("plain.rows_added", study=str(project.study.public_id), rows=len(made))
    return len(made)


@transaction.atomic
def drop_rows(*, project: Project) -> int:
    """Delete the rows that wait, and return how many. Rows that workers are asked about stay."""
    with held(project) as locked:
        waiting = Row.objects.filter(description__project=locked, item=None)
        count = waiting.count()
        waiting.delete()
    log.info("plain.rows_dropped", study=str(project.study.public_id), rows=count)
    return count


def _open(project: Project) -> Description:
    description = described(project)
    if description is None:
        raise RuleBroken("no_page", NO_PAGE)
    if not description.page.takes_rows:
        raise RuleBroken("no_columns", "The page needs no rows of a file: ask right away.")
    return description


def columns_of(page: Page) -> Sequence[UploadedColumn]:
    return [UploadedColumn(name=name) for name in page.columns]


def _read(content: bytes, page: Page) -> Sequence[tuple[dict[str, str], Shown]]:
    problems = Problems(InvalidItems)
    rows = list(read_uploaded(content, columns=columns_of(page), problems=problems, most=MOST_ROWS))
    pool = Pool([row.cells[column] for row in rows for column in page.pictures])
    found = []
    for row in rows:
        with problems.of(row.place, line=row.line):
            shown = {column: pool.find(row.cells[column]) for column in page.pictures}
            found.append((dict(row.cells), shown))
    problems.arrange()
    problems.refuse()
    return found
