"""The only way an image changes its state; its revision ends with that, or is open again."""

from datetime import datetime
from typing import Any

import structlog

from crowd.whoops.images.services.withdrawal import follow_images
from crowd.whoops.models import Image, Revision
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

State = Image.State
# The outcome of the image's revision in each state; in every other state the revision is open.
OUTCOMES = {
    State.RETURNED: Revision.Outcome.RETURNED,
    State.ACCEPTED: Revision.Outcome.ACCEPTED,
    State.REFUSED: Revision.Outcome.REFUSED,
    State.WITHDRAWN: Revision.Outcome.WITHDRAWN,
}
log = structlog.get_logger()


def move_image(
    image: Image, to: str, *, by: User | None, now: datetime, reason: str = "", **changes: Any
) -> None:
    """Move an image that the caller holds. Raises RuleBroken where its state does not lead there.

    `by`: None where no member of staff has decided. `reason`: for the designer to read.
    """
    if to not in Image.TRANSITIONS[State(image.state)]:
        raise RuleBroken(
            "moved_on", f"{image} is not where it was: “{image.get_state_display()}”. Look at it again."
        )
    before, image.state, image.changed_at = image.state, State(to), now
    for name, value in changes.items():
        setattr(image, name, value)
    image.save(update_fields=["state", "changed_at", *changes])
    outcome = OUTCOMES.get(State(to))
    image.revisions.filter(number=image.revision).update(
        outcome=outcome or Revision.Outcome.NONE,
        reason=reason if outcome else "",
        ended_by=by if outcome else None,
        ended_at=now if outcome else None,
    )
    follow_images([image.pk], now=now)
    log.info("whoops.image_moved", image=str(image.public_id), before=before, to=image.state)
