from crowd.pictures.services import fulfilling, preparing
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("pictures.tend_pool", rest_s=3, due_at=fulfilling.next_request)
def tend_pool() -> None:
    """One task for all that is slow here: it never holds up more than one thread of a small background."""
    fulfilling.fulfil_requests(now=clock.now())
    preparing.prepare_pictures(now=clock.now())
    preparing.read_pictures()
