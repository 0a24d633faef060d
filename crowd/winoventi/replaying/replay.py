from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from django.db.models import F

from crowd.winoventi import domain
from crowd.winoventi.domain import outcomes
from crowd.winoventi.models import Alternative, Judgement, PieceScoring, Project
from crowd.winoventi.procedure.services.project_rules import change_rules, settle_anew
from crowd.winoventi.procedure.services.projects import open_project
from crowd.winoventi.queries import count_pairs, judged_times
from crowd.winoventi.replaying import rules
from crowd.winoventi.replaying.recorded_rows import RECORD, Recorder
from crowd.winoventi.replaying.rows import FILES, key_of, read_rows
from crowd.winoventi.services.locks import AT_ONCE
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import Row
from hits.core.domain.typed_text import is_whole
from hits.core.errors import CrowdError, InvalidItems
from hits.data.replays import Replay, Tell
from hits.data.services.recordings import account_of, known_workers, open_study
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.services.locking import held

Judges = Project.Judges


class WinoventiReplay(Replay):
    """Replay of the exception procedure, file by file. Each slice is one transaction."""

    family = "winoventi"
    files = FILES

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--required", type=_count, default=2, metavar="N", help="judgements that decide on a pair"
        )
        parser.add_argument(
            "--fail-at",
            type=_count,
            default=2,
            metavar="N",
            help="number of objections that fail a pair",
        )
        parser.add_argument(
            "--fail-by",
            choices=(outcomes.BY_QUESTION, outcomes.BY_WORKER),
            default=outcomes.BY_QUESTION,
            help="objections to one question, or workers who object to anything",
        )
        parser.add_argument(
            "--allow-self-validation", action="store_true", help="judgements of one's own premises count, too"
        )

    def replay(
        self, *, folder: Path, study: str, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        unfit, counts = _read_whole(folder, tell=tell)
        target = open_study(name=study, bonus_rules=())
        project = _project_of(target, rules=_rules_of(options), now=now)
        account = account_of(target)
        for file in FILES:
            done = 0
            for some in _slices(_fit(folder / file, unfit[file])):
                with held(project) as locked:
                    people = {row.cells["worker"] for row in some if "worker" in row.cells}
                    workers = known_workers(account=account, names=people)
                    RECORD[file](some, Recorder(project=locked, workers=workers, counts=counts, now=now))
                done += len(some)
                tell(f"rows of {file} replayed", done, None)
        return _report(project, counts=counts)


def _count(text: str) -> int:
    if not is_whole(text, most=99):
        raise ArgumentTypeError("must be a whole number from 1 to 99")
    return int(text)


def _rules_of(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "answers_wanted": options.get("required", 2),
        "fails_at": options.get("fail_at", 2),
        "fails_by": options.get("fail_by", outcomes.BY_QUESTION),
        "judges": Judges.ANYBODY if options.get("allow_self_validation") else Judges.OTHERS,
        "filter_model": None,
        "way": PieceScoring.ONE_TOKEN,
    }


def _read_whole(folder: Path, *, tell: Tell) -> tuple[dict[str, frozenset[int]], Counter[str]]:
    """Lines of each file that nobody can have done as work, read before anything is written."""
    problems, counts = Problems(InvalidItems), Counter[str]()
    unfit: dict[str, frozenset[int]] = {}
    for file in FILES:
        lines: set[int] = set()
        seen: set[bytes] = set()
        for row in read_rows(folder / file, problems=problems):
            digest = sha256(key_of(row, file=file).encode()).digest()[:16]
            if rule := _why_unfit(row, file=file, is_known=digest in seen):
                counts[rule] += 1
                lines.add(row.line)
            seen.add(digest)
        unfit[file] = frozenset(lines)
        tell(f"rows of {file} read", len(seen), None)
    problems.refuse()
    return unfit, counts


def _why_unfit(row: Row, *, file: str, is_known: bool) -> str:
    if rules.is_too_long(row):
        return "too_long"
    return rules.TWICE[file] if is_known else ""


def _fit(path: Path, unfit: frozenset[int]) -> Iterator[Row]:
    return (row for row in read_rows(path) if row.line not in unfit)


def _slices(rows: Iterable[Row]) -> Iterator[list[Row]]:
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        yield some


def _project_of(study: Study, *, rules: dict[str, Any], now: datetime) -> Project:
    """The study's project with these rules. Raises CrowdError if live work there follows other rules."""
    project = open_project(study=study, **rules)
    if all(getattr(project, name) == value for name, value in rules.items()):
        return project
    if Item.objects.filter(study=study, task__in=domain.TASKS).exists():
        raise CrowdError(
            f"The study “{study}” collects live work by other rules than these. Replay into another study."
        )
    project = change_rules(project=project, **rules)
    if rules["judges"] != Judges.ANYBODY:
        own = Judgement.objects.filter(premise__project=project, worker=F("premise__worker"))
        own.delete()
        Project.objects.filter(pk=project.pk).update(is_stale=True)
    settle_anew(now=now)
    project.refresh_from_db()
    return project


def _report(project: Project, *, counts: Counter[str]) -> dict[str, Any]:
    wanted = project.answers_wanted
    judged = judged_times(project)
    counts["too_few_judgements"] = sum(many for times, many in judged.items() if times < wanted)
    counts["too_many_judgements"] = sum(many for times, many in judged.items() if times > wanted)
    alternatives = project.alternatives
    counts["exception_repeated"] += alternatives.filter(state=Alternative.State.REPEATED).count()
    counts["no_probability"] = alternatives.filter(state=Alternative.State.GIVEN).count()
    return {
        **count_pairs(project),
        "refused_self_judgements": counts["refused"],
        "skipped_impossible_rows": sum(counts[rule] for rule in rules.IMPOSSIBLE),
        "warnings": {rule: counts[rule] for rule in (*rules.WARNINGS, *rules.IMPOSSIBLE)},
    }
