from datetime import datetime

from crowd.pictures.services import flagged_pictures, picture_requests, preparation
from hits.common import clock
from hits.common.sweeps import sweep


def next_tending(*, now: datetime) -> datetime | None:
    """The time of the next try of a picture, or of the end of a person's hold on a flagged one."""
    known = (picture_requests.next_request(now=now), flagged_pictures.next_drop(now=now))
    return min((time for time in known if time), default=None)


@sweep("pictures.tend_pool", rest_s=3, due_at=next_tending)
def tend_pool() -> None:
    """One task for all slow work here: it never holds up more than one thread of a small background."""
    picture_requests.fulfil_requests(now=clock.now())
    preparation.prepare_pictures(now=clock.now())
    preparation.read_pictures()
    flagged_pictures.drop_flagged(now=clock.now())
