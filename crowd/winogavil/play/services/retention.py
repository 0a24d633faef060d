"""When data that are kept only for a while are due to be deleted."""

from datetime import datetime

from crowd.winogavil.play.services.accounts import next_session_end
from crowd.winogavil.play.services.practice_rounds import next_forgetting


def next_tidying(*, now: datetime) -> datetime | None:
    """Instant when the first practice word or the first session is due to be deleted."""
    instants = (next_forgetting(now=now), next_session_end(now=now))
    return min((at for at in instants if at), default=None)
