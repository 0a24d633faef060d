from crowd.plain.services import asking_again
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("plain.ask_where_unsure", rest_s=10)
def ask_where_unsure() -> None:
    asking_again.ask_where_unsure(now=clock.now())
