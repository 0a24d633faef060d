"""Links are renewed, prolonged and seen: of whoever has `link_number`, `link_until` and `seen_at`."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Model

from hits.core.signed_links import link_end

SEEN_EVERY = timedelta(minutes=1)


def renew_link(holder: Model, *, days: int, now: datetime) -> None:
    """Make a new link, which ends every earlier one at once."""
    _rows(holder).update(link_number=F("link_number") + 1, link_until=link_end(days=days, now=now))
    holder.refresh_from_db()


def prolong_link(holder: Model, *, days: int, now: datetime) -> None:
    """Keep the present link valid for `days` from now."""
    _rows(holder).update(link_until=link_end(days=days, now=now))
    holder.refresh_from_db()


def see_holder(holder: Any, *, now: datetime) -> None:
    """Record that the link was opened, at most once a minute."""
    if holder.seen_at is None or now - holder.seen_at > SEEN_EVERY:
        _rows(holder).update(seen_at=now)


def _rows(holder: Model) -> Any:
    return type(holder)._default_manager.filter(pk=holder.pk)
