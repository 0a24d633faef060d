from crowd.whoops.annotate.services import collected_annotations, posting_annotations
from crowd.whoops.control.services import control_answers, posting_control
from crowd.whoops.design.services import designer_pay
from crowd.whoops.images.services import batch_places
from crowd.whoops.judge.services import making_questions
from crowd.whoops.review.services import natural_partners
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("whoops.follow_control", rest_s=3)
def follow_control() -> None:
    posting_control.post_control(now=clock.now())
    control_answers.take_control_answers(now=clock.now())


@sweep("whoops.follow_annotations", rest_s=3)
def follow_annotations() -> None:
    posting_annotations.post_annotations(now=clock.now())
    collected_annotations.take_annotations(now=clock.now())


@sweep("whoops.make_questions", rest_s=3)
def make_questions() -> None:
    making_questions.go_on(now=clock.now())


@sweep("whoops.owe_images", rest_s=10)
def owe_images() -> None:
    designer_pay.owe_what_became_due(now=clock.now())


@sweep("whoops.grow_batches", rest_s=5)
def grow_batches() -> None:
    batch_places.grow_batches(now=clock.now())


@sweep("whoops.find_partners", rest_s=10, due_at=natural_partners.next_search, queue="rival")
def find_partners() -> None:
    natural_partners.go_on()
