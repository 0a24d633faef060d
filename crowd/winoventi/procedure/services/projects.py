"""Opening of a project with its steps, and adding of its nouns."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, BinaryIO

from django.db import transaction
from django.db.models import Max

from crowd.questions.domain import is_unfit, trim
from crowd.winoventi.models import Noun, Project, Step
from hits.batches.services.study_copies import copy_rows
from hits.common.uploads import UploadedColumn, as_written
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import read_uploaded
from hits.core.errors import InvalidItems
from hits.identity.models.users import User
from hits.studies.models import Study

LONGEST_NOUN = Noun._meta.get_field("word").max_length or 0
NOUN = UploadedColumn(name="noun", read=as_written)


def open_project(*, study: Study, **rules: Any) -> Project:
    """The study's project, or a new one, with all its steps."""
    with transaction.atomic():
        project, _ = Project.objects.get_or_create(study=study, defaults=rules)
        known = set(project.steps.values_list("kind", flat=True))
        Step.objects.bulk_create(
            (Step(project=project, kind=kind) for kind in Step.Kind.values if kind not in known),
            ignore_conflicts=True,
        )
    return project


def copy_project(*, source: Study, study: Study, by: User, now: datetime) -> None:
    """Copy the rules of the study's project, its nouns, and what each step does by itself."""
    copied = copy_rows(Project, source=source, study=study, without=("is_stale", "cuts"))
    if not copied:
        return
    (project,) = copied
    steps = Step.objects.filter(project__study=source)
    Step.objects.bulk_create(
        Step(project=project, kind=one.kind, by_itself=one.by_itself, most_per_worker=one.most_per_worker)
        for one in steps
    )
    open_project(study=study)  # steps that have come since the source was set up
    nouns = Noun.objects.filter(project__study=source).order_by("number").values_list("number", "word")
    Noun.objects.bulk_create(Noun(project=project, number=number, word=word) for number, word in nouns)


def read_nouns(file: BinaryIO, *, problems: Problems) -> list[str]:
    """Nouns of a file, one a line, or of CSV the first column or the one that is called noun."""
    nouns: list[str] = []
    for row in read_uploaded(file, columns=[NOUN], problems=problems, headed=False):
        with problems.of(row.place):
            nouns += _read_noun(row.cells["noun"])
    problems.refuse()
    return nouns


def check_nouns(lines: Iterable[str], *, problems: Problems) -> list[str]:
    """Nouns of the lines; `problems` refuses all of them if one is wrong."""
    nouns: list[str] = []
    for line, word in enumerate(lines, start=1):
        with problems.of(f"Line {line}"):
            nouns += _read_noun(word)
    problems.refuse()
    return nouns


def add_nouns(*, project: Project, words: Iterable[str]) -> int:
    """Add a row for each word, in order, after the existing ones. Raises InvalidItems with the bad lines."""
    nouns = check_nouns(words, problems=Problems(InvalidItems))
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        last = project.nouns.aggregate(last=Max("number"))["last"] or 0
        Noun.objects.bulk_create(
            Noun(project=project, number=number, word=word)
            for number, word in enumerate(nouns, start=last + 1)
        )
    return len(nouns)


def _read_noun(text: str) -> Sequence[str]:
    """The noun in this text, or none where it is blank. Raises ValueError that says what is wrong."""
    noun = trim(text)
    if len(noun) > LONGEST_NOUN:
        raise ValueError(f"a noun has at most {LONGEST_NOUN} letters.")
    if is_unfit(noun):
        raise ValueError("there is a character in it that cannot be kept.")
    return [noun] if noun else []
