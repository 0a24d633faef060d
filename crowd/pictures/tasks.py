from crowd.pictures.services import picture_requests, preparation
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("pictures.tend_pool", rest_s=3, due_at=picture_requests.next_request)
def tend_pool() -> None:
    """One task for all slow work here: it never holds up more than one thread of a small background."""
    picture_requests.fulfil_requests(now=clock.now())
    preparation.prepare_pictures(now=clock.now())
    preparation.read_pictures()
