"""A benchmark of each family on a small release, with a model that can answer it."""

from io import BytesIO

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.services import answer_files, benchmark_results, earlier_answers, result_relations
from crowd.releases.family_contents import contents_of
from crowd.releases.services.survey import frozen_rows
from crowd.releases.splits import TEST, TRAIN, split_of
from hits.common.spreadsheets import write_csv
from scoring.models import RegisteredRival
from scoring.services.answering_questions import answer_questions
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW, make_user
from tests.scoring.fakes import make_rival

# The task of each family, and the kind of a model that answers it.
TASKS = {"winogavil": "associations", "winoground": "captions", "winoventi": "prompts", "whoops": "matching"}
KINDS = {"winogavil": "clip", "winoground": "cross", "winoventi": "masked", "whoops": "clip"}


def make_benchmark(family: str, *, items: int = 6, **release: object) -> Benchmark:
    made = release_of(make_of(family, items=items), family, **release)
    task = benchmark_tasks.get(family, TASKS[family])
    return benchmark_results.open_benchmark(release=made, task=task, now=NOW)


def make_hiding(family: str, *, items: int = 12) -> Benchmark:
    """A benchmark of which some items are in a hidden split, by a seed that divides these very items so."""
    study = make_of(family, items=items)
    open_one = release_of(study, family, version="0.9")
    file = contents_of(open_one).files(open_one)[0]
    names = [str(row[file.item]) for row in frozen_rows(open_one, file.part)]
    seed = next(seed for seed in range(100) if {split_of(name, seed=seed) for name in names} == {TRAIN, TEST})
    made = release_of(study, family, split_seed=seed, hides_test=True)
    task = benchmark_tasks.get(family, TASKS[family])
    return benchmark_results.open_benchmark(release=made, task=task, now=NOW)


def rival_for(family: str, *, name: str = "model") -> RegisteredRival:
    return make_rival(name, kind=KINDS[family])


def run(*, times: int = 3) -> None:
    """Let the sweep and the models take turns."""
    earlier_answers.bring_earlier_answers()
    for _ in range(times):
        benchmark_results.answer_benchmarks(now=NOW)
        answer_questions(clock=lambda: NOW)
    benchmark_results.answer_benchmarks(now=NOW)
    result_relations.relate_results()


def asked(benchmark: Benchmark, rival: RegisteredRival) -> Result:
    result = benchmark_results.ask_model(benchmark=benchmark, rival=rival, by=make_user(), now=NOW)
    run()
    result.refresh_from_db()
    return result


def file_of(result: Result) -> BytesIO:
    """The file of a result's answers, as its page sends it."""
    task = benchmark_results.task_of(result.benchmark)
    heading = [column.name for column in task.columns]
    return BytesIO("".join(write_csv(heading, answer_files.answer_lines(result))).encode())


def uploaded(benchmark: Benchmark, file: BytesIO, *, name: str = "uploaded", is_part: bool = False) -> Result:
    return answer_files.add_answers(
        benchmark=benchmark, name=name, file=file, by=make_user(), now=NOW, is_part=is_part
    )
