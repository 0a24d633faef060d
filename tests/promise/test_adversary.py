"""Real processes, and one adversary against all of them: both sides agree in the end, to the cent."""

import os
from pathlib import Path

import pytest

from tests.promise.adversary.plans import plan_run
from tests.promise.adversary.runs import play_run
from tests.promise.adversary.stage import staged

RUNS = int(os.environ.get("ADVERSARIES", "200"))
SECONDS = 6
LONG_SECONDS = 30


def ends_in_agreement(folder: Path, *, form: str, seed: int, seconds: float) -> None:
    with staged(form, folder) as stage:
        run = play_run(stage=stage, seed=seed, seconds=seconds, form=form)
    assert sum(run["faults"].values()), run
    assert run["differences"] == 0, run


@pytest.mark.pure
@pytest.mark.parametrize("form", ["embedded", "deployed"])
def test_one_seed_decides_what_an_adversary_does(form: str) -> None:
    plan = plan_run(seed=7, seconds=30, form=form)

    assert plan == plan_run(seed=7, seconds=30, form=form)
    assert plan != plan_run(seed=8, seconds=30, form=form)


@pytest.mark.pure  # its databases are files of its own
def test_an_adversary_of_the_embedded_form_changes_nothing_in_the_end(tmp_path: Path) -> None:
    ends_in_agreement(tmp_path, form="embedded", seed=4, seconds=SECONDS)


@pytest.mark.needs_postgres
@pytest.mark.needs_redis
def test_an_adversary_of_the_deployed_form_changes_nothing_in_the_end(tmp_path: Path) -> None:
    ends_in_agreement(tmp_path, form="deployed", seed=4, seconds=SECONDS)


@pytest.mark.long
@pytest.mark.pure
@pytest.mark.parametrize("seed", range(1, 1 + RUNS))
def test_adversaries_of_the_embedded_form_again_and_again(tmp_path: Path, seed: int) -> None:
    ends_in_agreement(tmp_path, form="embedded", seed=seed, seconds=LONG_SECONDS)


@pytest.mark.long
@pytest.mark.needs_postgres
@pytest.mark.needs_redis
@pytest.mark.parametrize("seed", range(1, 1 + RUNS))
def test_adversaries_of_the_deployed_form_again_and_again(tmp_path: Path, seed: int) -> None:
    ends_in_agreement(tmp_path, form="deployed", seed=seed, seconds=LONG_SECONDS)
