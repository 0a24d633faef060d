from crowd.winoventi.services import evaluating, filtering, growing, posting, reading, ruling, taking
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("winoventi.take_answers", rest_s=3)
def take_answers() -> None:
    taking.take_answers(now=clock.now())
    ruling.pass_alternatives(now=clock.now())
    ruling.settle_anew(now=clock.now())


@sweep("winoventi.advance_steps", rest_s=5)
def advance_steps() -> None:
    posting.advance_steps(now=clock.now())
    growing.grow_steps(now=clock.now())


@sweep("winoventi.ask_models", rest_s=3, due_at=filtering.next_look)
def ask_models() -> None:
    reading.read_nouns(now=clock.now())
    filtering.filter_alternatives(now=clock.now())
    evaluating.evaluate_models(now=clock.now())
