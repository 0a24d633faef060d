"""Our figures beside those that crowd-kit computes from the same labels, in an environment of its own."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scoring.quality.alpha_intervals import alpha_of
from scoring.quality.dawid_skene import dawid_skene
from scoring.quality.judged_labels import Floats, Labels
from scoring.quality.one_coin import one_coin
from tests.foreign.installing import install_python
from tests.scoring.quality.simulated_crowds import simulate

pytestmark = pytest.mark.needs_uv
PROGRAM = Path(__file__).parent / "programs" / "crowd_kit_program.py"
# No tolerance ends the rounds early, here as there.
ALL_ROUNDS = -9
CROWDS: Mapping[str, Mapping[str, Any]] = {
    "two answers": {"items": 300, "workers": 15, "spammers": 3, "each": 3, "answers": 2, "seed": 11},
    "four answers": {"items": 200, "workers": 12, "spammers": 4, "each": 5, "answers": 4, "seed": 12},
    "two people each": {"items": 150, "workers": 20, "spammers": 0, "each": 2, "answers": 3, "seed": 13},
    "nobody guesses": {"items": 100, "workers": 8, "spammers": 0, "each": 4, "answers": 2, "seed": 14},
}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    python = install_python(tmp_path_factory.mktemp("crowd-kit"), "crowd-kit==1.4.2")
    asked = json.dumps([_rows(simulate(**crowd).labels) for crowd in CROWDS.values()])
    done = subprocess.run(
        [str(python), str(PROGRAM)], input=asked, capture_output=True, text=True, timeout=120, check=True
    )
    return dict(zip(CROWDS, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", CROWDS)
def test_alpha_and_both_models_equal_the_reference(name: str, reference: Mapping[str, Any]) -> None:
    labels, theirs = simulate(**CROWDS[name]).labels, reference[name]

    skene, coin = dawid_skene(labels, tolerance=ALL_ROUNDS), one_coin(labels, tolerance=ALL_ROUNDS)

    assert alpha_of(labels, times=0).value == pytest.approx(theirs["alpha"], abs=1e-9)
    assert skene.posterior == pytest.approx(_posterior(theirs["skene"], labels), abs=1e-6)
    assert coin.posterior == pytest.approx(_posterior(theirs["coin"], labels), abs=1e-6)


def _rows(labels: Labels) -> list[tuple[str, str, str]]:
    told = zip(labels.item, labels.worker, labels.answer, strict=True)
    return [(labels.items[item], labels.workers[worker], labels.answers[said]) for item, worker, said in told]


def _posterior(theirs: Mapping[str, Mapping[str, float]], labels: Labels) -> Floats:
    import numpy as np  # noqa: PLC0415 - only tests of figures need it

    return np.array([[theirs[item][str(said)] for said in labels.answers] for item in labels.items])
