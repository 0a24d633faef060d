"""What a study that is made like another has of its gates and its consent text."""

from datetime import datetime

from hits.batches.services.study_copies import copy_rows
from hits.identity.models.users import User
from hits.studies.models import Study
from qualifications.models import Gate
from qualifications.queries.consents import published_text
from qualifications.services.consenting import write_draft


def copy_gates(*, source: Study, study: Study, by: User, now: datetime) -> None:
    """Copy the gates, switched off: nobody has taken these tests, and no batch asks them yet."""
    copy_rows(Gate, source=source, study=study, without=OF_THE_SOURCE, is_active=False)


def copy_consent(*, source: Study, study: Study, by: User, now: datetime) -> None:
    """Copy the text in force as a draft: it may name the other study, so a person reads it first."""
    if text := published_text(source):
        write_draft(
            study=study,
            title=text.title,
            text=text.text,
            asks_demographics=text.asks_demographics,
            by=by,
            now=now,
        )


# How far the sweeps have come.
OF_THE_SOURCE = ("is_active", "created_at", "followed_to", "regraded_to", "scores_to")
