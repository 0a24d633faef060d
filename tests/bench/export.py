"""A study of so many associations: its statistics, a release of it, and exports; seconds and memory of each.

Run it from the top folder: python -m tests.bench.export
ASSOCIATIONS sets their number (100,000); DATABASE_URL may name an empty database. It fails where a step
takes more than 150 MB beyond the process that begins it, or where a file is not what was frozen.
"""

import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from tests.bench.admin_pages import prepare

if TYPE_CHECKING:
    from hits.identity.models.workers import Worker
    from hits.studies.models import Study

ASSOCIATIONS = int(os.environ.get("ASSOCIATIONS", "100000"))
PICTURES, PEOPLE, AT_ONCE = 3_000, 400, 2_000
SHAPES = ((5, 2), (5, 3), (6, 2), (6, 3), (6, 4), (10, 2), (10, 3), (12, 2), (12, 3), (12, 5))
MOST_MB = 150
# The order of measurement: steps that load a library come late.
Row = tuple[str, float, float, float]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        rows = run(Path(folder))
    sys.stdout.write(f"{ASSOCIATIONS:,} associations\n\nseconds    cpu   +MB  step\n")
    sys.stdout.writelines(f"{took:7.1f} {cpu:6.1f} {more:5.0f}  {name}\n" for name, took, cpu, more in rows)
    if any(more > MOST_MB for *_, more in rows[1:]):
        sys.exit(1)


def run(folder: Path) -> list[Row]:
    from django.utils import timezone  # noqa: PLC0415  settings are made first

    from crowd.releases.models import Release  # noqa: PLC0415
    from crowd.releases.services import release_states  # noqa: PLC0415
    from crowd.winogavil.releases.models import Statistics  # noqa: PLC0415
    from crowd.winogavil.releases.statistics.kept_figures import statistics_of  # noqa: PLC0415
    from hits.data.exports import ExportChoice, get  # noqa: PLC0415
    from tests.factories import make_study, make_user  # noqa: PLC0415

    study = make_study()
    rows = [observe("(the rows are made)", lambda: fill(study, count=ASSOCIATIONS))]
    analyze()

    def look() -> Statistics:
        return statistics_of(study, sources=[], now=timezone.now())

    rows.append(observe("statistics, counted", look))
    rows.append(observe("statistics, remembered", look))
    wanted = {"study": study, "everything": False, "sources": (), "linkable": False}
    for form, full in (("jsonl", False), ("csv", True), ("parquet", True)):
        asked = ExportChoice(**wanted, format=form, full=full)  # type: ignore[arg-type]

        def export(asked: ExportChoice = asked) -> Any:
            return get("winogavil").export(
                wanted=asked, folder=folder, tell=lambda *_: None, now=timezone.now()
            )

        rows.append(observe(f"export, {form}{', full' if full else ''}", export))
    release = release_states.make_release(
        family="winogavil", study=study,
        title="Bench", version="1", licence="CC0", sources=["worker"], by=make_user(),
        now=timezone.now(), with_rest=True,
    )  # fmt: skip

    def write() -> None:
        while not release_states.write_releases(clock=timezone.now):
            pass

    rows.append(observe("release, all files", write))
    release = Release.objects.get(pk=release.pk)
    check(release)
    rows.append(observe("answers of a model, scored", lambda: answer(release, folder)))
    return rows


def observe(name: str, act: Callable[[], Any]) -> Row:
    """Run a step, and measure its seconds, its processor seconds and the rise of memory."""
    before, done = resident_mb(), Event()
    peak = [before]

    def watch() -> None:
        while not done.wait(0.02):
            peak[0] = max(peak[0], resident_mb())

    watcher = Thread(target=watch)
    watcher.start()
    began, worked = time.perf_counter(), time.process_time()
    try:
        act()
    finally:
        took, cpu = time.perf_counter() - began, time.process_time() - worked
        done.set()
        watcher.join()
    return name, took, cpu, peak[0] - before


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


def fill(study: "Study", *, count: int) -> None:
    """Create finished associations in bulk: a worker's cue, three solvers, a verdict on its places."""
    from crowd.pictures.models import Picture  # noqa: PLC0415
    from tests.factories import make_account, make_worker  # noqa: PLC0415

    random = Random(7)
    account = make_account()
    people = [make_worker(account=account) for _ in range(PEOPLE)]
    pictures = Picture.objects.bulk_create(
        [
            Picture(
                key=f"key{number}", sha256=sha256(str(number).encode()).hexdigest(),
                concept=f"concept {number % (PICTURES - 50)}",
                file=f"pictures/{number}", media_type="image/png", licence="CC BY 4.0", credit="Somebody",
                source=f"https://pictures.example/{number % 7}",
            )
            for number in range(PICTURES)
        ],
        batch_size=AT_ONCE,
    )  # fmt: skip
    numbers = iter(range(count))
    while some := list(islice(numbers, AT_ONCE)):
        make_some(study, some, people=people, pictures=pictures, random=random)


def make_some(
    study: "Study", numbers: list[int], *, people: "list[Worker]", pictures: list[Any], random: Random
) -> None:
    from crowd.winogavil import domain  # noqa: PLC0415
    from crowd.winogavil.models import Association, Place, Solution  # noqa: PLC0415
    from hits.work.models.items import Item  # noqa: PLC0415
    from scoring.domain import jaccard, mean, model_score  # noqa: PLC0415
    from tests.factories import NOW  # noqa: PLC0415

    drawn = [(random.choice(SHAPES), random.sample(people, 4)) for _ in numbers]
    items = Item.objects.bulk_create(
        Item(study=study, task=domain.SOLVE, wanted=0, author=author) for _, (author, *_) in drawn
    )
    associations, places, solutions = [], [], []
    for number, item, ((size, k), (_, *solvers)) in zip(numbers, items, drawn, strict=True):
        shown, chosen = random.sample(pictures, size), sorted(random.sample(range(size), k))
        predicted = random.sample(range(size), k)
        picks = [chosen if random.random() < 0.8 else sorted(random.sample(range(size), k)) for _ in solvers]
        right = {str(place) for place in chosen}
        shares = [jaccard(right, {str(place) for place in pick}) for pick in picks]
        average = mean(shares)
        one = Association(
            item=item, source="worker", cue=f"cue{'abcdefghij'[number % 10]}{number % 40_000}",
            set_key=f"{number // 6:032x}", asked_at=NOW, final_at=NOW,
            model_score=model_score(chosen=right, predicted={str(place) for place in predicted}),
            solvers_numerator=average.numerator, solvers_denominator=average.denominator,
        )  # fmt: skip
        associations.append(one)
        places += [
            Place(
                association=one, picture=picture, label=picture.concept, position=position,
                chosen=position in chosen, predicted=position in predicted,
            )
            for position, picture in enumerate(shown)
        ]  # fmt: skip
        solutions += [
            Solution(
                association=one,
                worker=worker,
                picked=pick,
                numerator=share.numerator,
                denominator=share.denominator,
            )
            for worker, pick, share in zip(solvers, picks, shares, strict=True)
        ]
    Association.objects.bulk_create(associations)
    Place.objects.bulk_create(places, batch_size=AT_ONCE)
    Solution.objects.bulk_create(solutions, batch_size=AT_ONCE)


def check(release: Any) -> None:
    """Check that every form of the release has as many rows as were frozen."""
    import pyarrow.parquet as pq  # noqa: PLC0415  a library for this step alone

    rows, selected = release.rows_done, release.counts["selected"]
    with (release.folder / "full.jsonl").open("rb") as lines:
        counted = sum(1 for _ in lines)
    found = {
        "full.jsonl": counted,
        "full.parquet": pq.ParquetFile(release.folder / "full.parquet").metadata.num_rows,
    }
    published = pq.ParquetFile(release.folder / "associations.parquet").metadata.num_rows
    if set(found.values()) != {rows} or published != selected or rows != ASSOCIATIONS:
        sys.exit(
            f"{rows} rows were frozen, {selected} selected; there are {found}, and {published} published."
        )


def answer(release: Any, folder: Path) -> None:
    import json  # noqa: PLC0415

    from django.utils import timezone  # noqa: PLC0415

    from crowd.benchmarks import benchmark_tasks  # noqa: PLC0415
    from crowd.benchmarks.services.answer_files import add_answers  # noqa: PLC0415
    from crowd.benchmarks.services.benchmark_results import open_benchmark  # noqa: PLC0415
    from tests.factories import make_user  # noqa: PLC0415

    now = timezone.now()
    benchmark = open_benchmark(
        release=release, task=benchmark_tasks.get("winogavil", "associations"), now=now
    )
    path = folder / "answers.jsonl"
    with (release.folder / "associations.jsonl").open() as lines, path.open("w") as file:
        for line in lines:
            row = json.loads(line)
            picks = row["candidates"][: row["num_associations"]]
            file.write(json.dumps({"ID": row["ID"], "prediction": picks}) + "\n")
    with path.open("rb") as upload:
        add_answers(benchmark=benchmark, name="first", file=upload, by=make_user(), now=now)


def analyze() -> None:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    main()
