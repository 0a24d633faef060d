"""Describing of a page: kept once it has no fault, and fixed once a worker is asked by it."""

from collections.abc import Sequence
from datetime import datetime

import structlog

from crowd.plain.domain.description_parser import read_page, tidy
from crowd.plain.domain.pages import Page
from crowd.plain.models import Description, Project
from crowd.plain.queries.described_pages import described
from hits import families
from hits.batches.services.study_copies import copy_rows
from hits.core.errors import InvalidItems, RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.services.locking import held

log = structlog.get_logger()


def describe_page(*, project: Project, text: str, seen: str, by: User, now: datetime) -> Description:
    """Keep the page. `seen`: an earlier `stamp_of`. Raises InvalidItems with every fault, and RuleBroken."""
    text = f"{tidy(text).strip()}\n"
    read = read_page(text)
    if read.faults:
        raise InvalidItems([str(fault) for fault in read.faults])
    _refuse_unknown_roles(read.page)
    with held(project) as locked:
        current = described(locked)
        if seen != stamp_of(current):
            raise RuleBroken("stale", "Another page was kept meanwhile. Compare them, and keep yours again.")
        if current is None or current.asked_at is not None:
            current = Description(project=locked, version=current.version + 1 if current else 1)
        elif missing := _missing(current, read.page):
            raise RuleBroken(
                "rows_lack_columns",
                f"The rows that wait have nothing for {', '.join(missing)}. Delete them first.",
            )
        current.text, current.written_by, current.changed_at = text, by, now
        current.save()
    log.info("plain.described", study=str(project.study.public_id), version=current.version)
    return current


def copy_page(*, source: Study, study: Study, by: User, now: datetime) -> None:
    """Copy the settings of the study's project and the page that it has now, without any row."""
    for project in copy_rows(Project, source=source, study=study):
        if kept := described(Project.objects.get(study=source)):
            project.descriptions.create(version=1, text=kept.text, written_by=by, changed_at=now)


def stamp_of(description: Description | None) -> str:
    """A stamp that stays the same as long as no other text is kept."""
    return f"{description.pk}:{description.changed_at.isoformat()}" if description else ""


def _refuse_unknown_roles(page: Page) -> None:
    """Raise InvalidItems for roles that no task gives, or only such questions: nobody would be asked."""
    named = {*page.roles, *(part.only_role for part in page.parts if part.only_role)}
    side = families.side_roles()
    known = [role for role in families.roles() if role not in side]
    if unknown := sorted(named - set(known)):
        there = ", ".join(known)
        raise InvalidItems(
            [f"No work that can be asked about gives the role {', '.join(unknown)}. There are: {there}."]
        )


def _missing(description: Description, page: Page) -> Sequence[str]:
    """Columns that the waiting rows lack; all rows have the same, of which some are read as pictures."""
    row = description.rows.first()
    if row is None:
        return ()
    pictures = set(row.pictures.values_list("column", flat=True))
    return [
        name
        for name in page.columns
        if name not in row.cells or (name in page.pictures and name not in pictures)
    ]
