from crowd.winogavil.services import association_verdicts, finalizing, growing, making, pulling
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("winogavil.make_associations", rest_s=2)
def make_associations() -> None:
    making.make_associations(now=clock.now())
    pulling.pull_disowned(now=clock.now())


@sweep("winogavil.ask_rivals", rest_s=2)
def ask_rivals() -> None:
    association_verdicts.ask_rivals(now=clock.now())
    association_verdicts.read_verdicts()


@sweep("winogavil.finalize_associations", rest_s=2, due_at=making.next_credit)
def finalize_associations() -> None:
    finalizing.finalize_associations(now=clock.now())
    making.credit_authors(now=clock.now())


@sweep("winogavil.grow_solving", rest_s=10)
def grow_solving() -> None:
    growing.grow_solving(now=clock.now())
