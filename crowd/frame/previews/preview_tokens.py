"""Tokens of previews. All that a preview knows from one request to the next is in its page's token."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.core import signing
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.frame.visit_problems import Problem, Unreadable, UnverifiedVisit
from hits.core import crypto

PREVIEW = "preview"
LASTS = timedelta(hours=1)
AGAIN = gettext_lazy("Please open the preview again from its batch.")


class PreviewOver(Problem):
    status = 410
    title = gettext_lazy("This preview has ended")
    is_mild = True


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A look at a batch by one user."""

    # Stands for the HIT and for the assignment, which exist only while a request is answered.
    key: UUID
    batch_id: int
    user_id: int
    expires_at: datetime
    # How many of the batch's items are passed over.
    skipped: int = 0
    # The items on the page.
    items: Sequence[int] = ()
    # What was put to the rival so far: each a form as the page sent it, without the token.
    proposals: Sequence[str] = ()


def write_preview(preview: Preview) -> str:
    return crypto.sign_page(
        {
            "for": PREVIEW,
            # Where a token of work names its HIT: there, this one is refused as another HIT's.
            "hit": str(preview.key),
            "batch": preview.batch_id,
            "user": preview.user_id,
            "expires": preview.expires_at.timestamp(),
            "skipped": preview.skipped,
            "items": list(preview.items),
            "proposals": list(preview.proposals),
        }
    )


def read_preview(token: str, *, key: UUID, now: datetime) -> Preview:
    """Return the preview whose page this token was written for. Raises Problem."""
    try:
        payload: dict[str, Any] = crypto.read_page(token)
    except signing.BadSignature:
        raise Unreadable(AGAIN) from None
    if payload.get("for") != PREVIEW or payload["hit"] != str(key):
        raise UnverifiedVisit(_("The token belongs to another page."), AGAIN)
    if now.timestamp() >= payload["expires"]:
        raise PreviewOver(AGAIN)
    return Preview(
        key=key,
        batch_id=payload["batch"],
        user_id=payload["user"],
        expires_at=datetime.fromtimestamp(payload["expires"], tz=UTC),
        skipped=payload["skipped"],
        items=payload["items"],
        proposals=payload["proposals"],
    )
