"""Finished associations, made row by row as the game leaves them, for files and statistics."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from io import BytesIO
from itertools import count
from random import Random
from typing import Any

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services import answer_files, benchmark_results
from crowd.releases.models import Release
from crowd.winogavil import domain
from crowd.winogavil.models import Association, Place, Solution
from crowd.winogavil.services.final_associations import settle
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.domain import jaccard, model_score
from scoring.models import RegisteredRival, RivalQuery, Verdict
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_picture, make_user, make_worker

_numbers = count(1)
WEIGHTS = "ab" * 32
# An instant before the machine's own clock, which the pages read.
LONG_AGO = NOW - timedelta(days=3_650)


def make_final(
    study: Study,
    *,
    cue: str = "cold",
    size: int = 5,
    chosen: Sequence[int] = (0, 1),
    predicted: Sequence[int] | None = (0, 2),
    picks: Mapping[Worker, Sequence[int]] | Sequence[Sequence[int]] = ((0, 1), (0, 1), (0, 1)),
    author: Worker | None = None,
    source: str = "worker",
    set_key: str = "",
    concepts: Sequence[str] = (),
    now: datetime = NOW,
    **changes: Any,
) -> Association:
    """A final association; pictures are named by position, and without `predicted` no model has answered."""
    names = list(concepts) or [f"thing {next(_numbers)}" for _ in range(size)]
    pictures = [
        make_picture(concept=name, licence="CC0", credit="A person", source="https://a.example/x")
        for name in names
    ]
    item = Item.objects.create(study=study, task=domain.SOLVE, wanted=0, author=author)
    one = Association(
        item=item,
        source=source,
        cue=cue,
        set_key=set_key or domain.set_key(one.key for one in pictures),
        **changes,
    )
    if predicted is not None:
        one.asked_at = now
        one.model_score = model_score(chosen={str(n) for n in chosen}, predicted={str(n) for n in predicted})
    solutions = [_solution(worker, found, chosen) for worker, found in _by_worker(picks)]
    settle(one, solutions, now=now)
    one.save()
    Place.objects.bulk_create(
        Place(
            association=one,
            picture=picture,
            label=name,
            position=position,
            chosen=position in chosen,
            predicted=None if predicted is None else position in predicted,
        )
        for position, (name, picture) in enumerate(zip(names, pictures, strict=True))
    )
    for solution in solutions:
        solution.association = one
        solution.assignment = _work(study, solution.worker, now=now)
        solution.save()
    return one


def make_game(study: Study) -> None:
    """Make a game of six creators and five solvers who are right at random, from a fixed seed."""
    random = Random(4)
    creators, solvers = people(6), people(5)
    for number in range(24):
        size, k = random.choice([(5, 2), (6, 2), (6, 3), (10, 2), (10, 3), (12, 2)])
        chosen = tuple(random.sample(range(size), k))
        picks = {
            worker: chosen if random.random() < 0.85 else tuple(random.sample(range(size), k))
            for worker in random.sample(solvers, 3)
        }
        make_final(
            study, cue=f"cue {number}", size=size, chosen=chosen, picks=picks, author=creators[number % 6],
            predicted=random.sample(range(size), k),
            now=LONG_AGO,
        )  # fmt: skip


def add_verdict(one: Association, *, predicted: Sequence[int] = (0, 2), now: datetime = NOW) -> Verdict:
    """Store the verdict that the rival gave in the game, on the query of a worker's cue."""
    rival, _ = RegisteredRival.objects.get_or_create(
        name="rn", defaults={"kind": "clip", "weights_sha256": WEIGHTS, "added_at": now}
    )
    rival_query = RivalQuery.objects.create(
        study=one.item.study,
        item=one.item,
        text=one.cue,
        pictures=[],
        size=5,
        chosen=[0, 1],
        paid_on=rival,
        asked_at=now,
        assignment=make_assignment(status="submitted", submitted_at=now - timedelta(hours=1)),
    )
    return Verdict.objects.create(
        rival_query=rival_query,
        rival=rival,
        model="RN50",
        weights_sha256=WEIGHTS,
        prompt=f"A {one.cue}",
        preprocessing={},
        candidates=[],
        scores=[],
        places=list(predicted),
        model_score=33,
        latency_ms=5,
        code_version="1.2.3",
        device="cpu",
        answered_at=now,
    )


def benchmark_of(release: Release) -> Benchmark:
    task = benchmark_tasks.get("winogavil", "associations")
    return benchmark_results.open_benchmark(release=release, task=task, now=NOW)


def upload_answers(release: Release, content: str, *, name: str, is_part: bool = False) -> Result:
    return answer_files.add_answers(
        benchmark=benchmark_of(release), name=name, file=BytesIO(content.encode()), is_part=is_part,
        by=make_user(), now=NOW,
    )  # fmt: skip


def columns_of(release: Release) -> dict[str, dict[str, Any]]:
    """Return the rows of the paper's Table 4 by their names."""
    table = next(table for table in tables_of(benchmark_of(release)) if table.name == "by-data")
    return {row.pop("model"): row for row in table.as_json()}


def people(count: int) -> list[Worker]:
    return [make_worker() for _ in range(count)]


def _by_worker(picks: Any) -> list[tuple[Worker, Sequence[int]]]:
    if isinstance(picks, Mapping):
        return list(picks.items())
    return [(make_worker(), found) for found in picks]


def _solution(worker: Worker, picked: Sequence[int], chosen: Sequence[int]) -> Solution:
    share: Fraction = jaccard({str(n) for n in picked}, {str(n) for n in chosen})
    return Solution(
        worker=worker, picked=list(picked), numerator=share.numerator, denominator=share.denominator
    )


def _work(study: Study, worker: Worker, *, now: datetime) -> Assignment:
    hit = make_hit(batch=make_batch(study=study, account=worker.account, status="open"))
    return make_assignment(hit=hit, worker=worker, status="submitted", submitted_at=now)
