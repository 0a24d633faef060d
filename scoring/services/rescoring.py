"""Rescoring: all queries of a study are put to another model. Nothing that was paid changes."""

from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef

from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Study
from scoring.models import PendingQuery, RegisteredRival, RivalQuery, Verdict
from scoring.services.rival_selection import play_against

AT_ONCE = 1000
log = structlog.get_logger()


def rescore_study(*, study: Study, rival: RegisteredRival, by: User | None, now: datetime) -> int:
    """Put the study's queries to the rival; return how many. Called again, it asks the rest.

    New queries follow by themselves. Raises RuleBroken if the rival scores no pictures.
    """
    if not rival.scores_pictures:
        raise RuleBroken("scores_no_pictures", f"{rival} scores no pictures: it cannot play about them.")
    with transaction.atomic():
        play_against(study=study, rival=rival, by=by, now=now)
        missing = (
            RivalQuery.objects.filter(study=study)
            .exclude(Exists(Verdict.objects.filter(rival_query=OuterRef("pk"), rival=rival)))
            .exclude(Exists(PendingQuery.objects.filter(rival_query=OuterRef("pk"), rival=rival)))
            .order_by("pk")
        )
        wanted = list(missing.values_list("pk", flat=True))
        for start in range(0, len(wanted), AT_ONCE):
            PendingQuery.objects.bulk_create(
                [
                    PendingQuery(
                        rival_query_id=rival_query, rival=rival, is_urgent=False, asked_at=now, try_at=now
                    )
                    for rival_query in wanted[start : start + AT_ONCE]
                ],
                ignore_conflicts=True,
            )
    log.info("study.rescored", study=study.pk, rival=rival.name, rival_queries=len(wanted))
    return len(wanted)
