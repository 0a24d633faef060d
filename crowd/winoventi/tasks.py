from django.utils import timezone

from crowd.winoventi.services import evaluating, filtering, growing, posting, reading, ruling, taking
from hits.common.sweeps import sweep


@sweep("winoventi.take_answers", rest_s=3, due_at=taking.next_recount)
def take_answers() -> None:
    taking.take_answers(now=timezone.now())
    ruling.pass_alternatives(now=timezone.now())
    ruling.settle_anew(now=timezone.now())


@sweep("winoventi.advance_steps", rest_s=5)
def advance_steps() -> None:
    posting.advance_steps(now=timezone.now())
    growing.grow_steps(now=timezone.now())


@sweep("winoventi.ask_models", rest_s=3)
def ask_models() -> None:
    reading.read_nouns(now=timezone.now())
    filtering.filter_alternatives(now=timezone.now())
    evaluating.evaluate_models(now=timezone.now())
