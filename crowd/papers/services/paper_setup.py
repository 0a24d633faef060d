"""A study is set up as in a family's paper, all at once."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from crowd.family import Family
from crowd.papers.models import PaperSetup
from crowd.papers.parts import parts_of
from hits.core import audit_trail
from hits.families.paper_figures import Paper
from hits.identity.models.users import User
from hits.studies.models import Study


def set_up(
    *, study: Study, family: Family, paper: Paper, values: Mapping[str, Any], by: User, now: datetime
) -> list[str]:
    """Put the values in place; return what has changed, in words. Idempotent: repeated, it changes nothing.

    Batches that were launched, drafts, gates that workers have tried and settings that work was launched by
    stay as they are. Raises RuleBroken or ValidationError, with nothing changed, if something is refused.
    """
    with transaction.atomic():
        # First of all: two who set up the study as in one paper at once do so one after the other.
        PaperSetup.objects.update_or_create(
            study=study, family=family.key, defaults={"set_up_at": now, "set_up_by": by}
        )
        current = Study.objects.get(pk=study.pk)
        changes = [
            words
            for part in parts_of(family, paper=paper, study=current)
            for words in part.put(values, by=by, now=now)
        ]
        if changes:
            words = f"Set up as in {paper.name}. {'; '.join(changes)}."
            audit_trail.note("study.paper", words, by=by, now=now, study=current)
    return changes
