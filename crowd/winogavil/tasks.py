from crowd.winogavil.services import (
    association_creation,
    association_verdicts,
    final_associations,
    solve_places,
    withdrawal,
)
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("winogavil.make_associations", rest_s=2)
def make_associations() -> None:
    association_creation.make_associations(now=clock.now())
    withdrawal.pull_disowned(now=clock.now())


@sweep("winogavil.ask_rivals", rest_s=2)
def ask_rivals() -> None:
    association_verdicts.ask_rivals(now=clock.now())
    association_verdicts.read_verdicts()


@sweep("winogavil.finalize_associations", rest_s=2, due_at=association_creation.next_credit)
def finalize_associations() -> None:
    final_associations.finalize_associations(now=clock.now())
    association_creation.credit_authors(now=clock.now())


@sweep("winogavil.grow_solving", rest_s=10)
def grow_solving() -> None:
    solve_places.grow_solving(now=clock.now())
