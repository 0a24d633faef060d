"""A study's list of concreteness ratings, all lines of a file or none."""

from datetime import datetime
from hashlib import sha256
from typing import BinaryIO

import structlog
from django.db import transaction

from crowd.winogavil.releases.files.concreteness_files import read_ratings
from crowd.winogavil.releases.models import ConcretenessList, Statistics
from hits.common.uploads.file_problems import Problems
from hits.core import audit_trail
from hits.core.errors import InvalidItems
from hits.identity.models.users import User
from hits.studies.models import Study

log = structlog.get_logger()


def keep_list(*, study: Study, file: BinaryIO, by: User, now: datetime) -> ConcretenessList:
    """Keep the list, in the place of the one before. Raises InvalidItems that names every bad line."""
    digest = sha256(file.read()).hexdigest()
    file.seek(0)
    problems = Problems(InvalidItems)
    ratings = read_ratings(file, problems=problems)
    problems.arrange()
    problems.refuse()
    values = {
        "ratings": ratings,
        "words": len(ratings),
        "sha256": digest,
        "added_at": now,
        "added_by": by,
    }
    with transaction.atomic():
        kept, _ = ConcretenessList.objects.update_or_create(study=study, defaults=values)
        Statistics.objects.filter(study=study).delete()  # counted again at once, whatever they waited for
        said = f"A concreteness list of {kept.words} words was uploaded, SHA-256 {digest}."
        audit_trail.note("concreteness.uploaded", said, by=by, now=now, study=study)
    log.info("concreteness.uploaded", study=str(study.public_id), words=kept.words)
    return kept
