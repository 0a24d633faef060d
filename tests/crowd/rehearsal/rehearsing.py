"""What tests of rehearsals share: a rehearsal of a draft with few people, played apart."""

from typing import Any

from crowd.rehearsal.domain.assumptions import read_assumptions
from crowd.rehearsal.playing.child_process import play_apart
from crowd.rehearsal.playing.specs import write_spec
from hits.studies.models import Batch
from tests.factories import NOW

FEW = {"workers": 8, "runs": 1, "spammers": 0, "gives_up": 0, "come_within_h": 1}


def spec_of(batch: Batch, **assumed: int) -> dict[str, Any]:
    return write_spec(batch, assumed=read_assumptions({**FEW, **assumed}), seed=7, now=NOW)


def rehearse(batch: Batch, **assumed: int) -> dict[str, Any]:
    return play_apart(spec_of(batch, **assumed))
