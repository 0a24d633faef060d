"""What is kept for a while only."""

from datetime import datetime

from crowd.winogavil.play.services.accounts import next_session_end
from crowd.winogavil.play.services.practice_rounds import next_forgetting


def next_tidying(*, now: datetime) -> datetime | None:
    """The first practice, or the first session, has been kept for long enough."""
    instants = (next_forgetting(now=now), next_session_end(now=now))
    return min((at for at in instants if at), default=None)
