from crowd.winoventi.associations.services import model_readings
from crowd.winoventi.challenge.services import evaluations, word_tags
from crowd.winoventi.filter.services import adversarial_filter
from crowd.winoventi.procedure.services import batch_places, collected_answers, project_rules, step_items
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("winoventi.take_answers", rest_s=3)
def take_answers() -> None:
    collected_answers.take_answers(now=clock.now())
    project_rules.pass_alternatives(now=clock.now())
    project_rules.settle_anew(now=clock.now())


@sweep("winoventi.advance_steps", rest_s=5)
def advance_steps() -> None:
    step_items.advance_steps(now=clock.now())
    batch_places.grow_steps(now=clock.now())


@sweep("winoventi.ask_models", rest_s=3, due_at=adversarial_filter.next_look)
def ask_models() -> None:
    model_readings.read_nouns(now=clock.now())
    adversarial_filter.filter_alternatives(now=clock.now())
    evaluations.evaluate_models(now=clock.now())
    word_tags.tag_words(now=clock.now())
