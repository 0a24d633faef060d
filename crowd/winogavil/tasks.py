from django.utils import timezone

from crowd.winogavil.services import finalizing, growing, making, pulling, verdicts
from hits.common.sweeps import sweep


@sweep("winogavil.make_associations", rest_s=2)
def make_associations() -> None:
    making.make_associations(now=timezone.now())
    pulling.pull_disowned(now=timezone.now())


@sweep("winogavil.ask_rivals", rest_s=2)
def ask_rivals() -> None:
    verdicts.ask_rivals(now=timezone.now())
    verdicts.read_verdicts()


@sweep("winogavil.finalize_associations", rest_s=2, due_at=making.next_credit)
def finalize_associations() -> None:
    finalizing.finalize_associations(now=timezone.now())
    making.credit_authors(now=timezone.now())


@sweep("winogavil.grow_solving", rest_s=10)
def grow_solving() -> None:
    growing.grow_solving(now=timezone.now())
