from crowd.whoops.services import (
    designer_pay,
    growing,
    posting_annotations,
    posting_control,
    taking_annotations,
    taking_sightings,
)
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("whoops.follow_control", rest_s=3)
def follow_control() -> None:
    posting_control.post_control(now=clock.now())
    taking_sightings.take_sightings(now=clock.now())


@sweep("whoops.follow_annotations", rest_s=3)
def follow_annotations() -> None:
    posting_annotations.post_annotations(now=clock.now())
    taking_annotations.take_annotations(now=clock.now())


@sweep("whoops.owe_images", rest_s=10)
def owe_images() -> None:
    designer_pay.owe_what_became_due(now=clock.now())


@sweep("whoops.grow_batches", rest_s=5)
def grow_batches() -> None:
    growing.grow_batches(now=clock.now())
