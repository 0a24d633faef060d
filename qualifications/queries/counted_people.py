"""People who took part in a study, with what they say about themselves: never shown but as counts."""

import json
from collections.abc import Collection

from django.db.models import Exists, OuterRef

from hits.core import crypto
from hits.studies.models import Study
from hits.work.queries.participants import participants
from qualifications.domain import about_people
from qualifications.domain.people_table import Person
from qualifications.models import Consent, Demographics, PeopleCount

CHUNK = 1_000


def people_of(study: Study) -> list[Person]:
    """Everybody whose work counts; the answers only of those who agree to the study's text. Two queries."""
    roles: dict[int, set[str]] = {}
    for role, workers in participants(study).items():
        for worker_id in workers:
            roles.setdefault(worker_id, set()).add(role)
    told = _told(study, roles.keys())
    return [
        _person(worker_id, frozenset(had), told.get(worker_id)) for worker_id, had in sorted(roles.items())
    ]


def latest_count(study: Study) -> PeopleCount | None:
    counts = PeopleCount.objects.filter(study=study).select_related("counted_by")
    return counts.defer("members", "aged").order_by("-pk").first()


def _told(study: Study, workers: Collection[int]) -> dict[int, Demographics]:
    agree = Consent.objects.filter(worker=OuterRef("worker"), text__study=study, withdrawn_at=None)
    rows = Demographics.objects.filter(Exists(agree)).only("worker_id", "answers")
    return {row.worker_id: row for row in rows.iterator(chunk_size=CHUNK) if row.worker_id in workers}


def _person(worker_id: int, roles: frozenset[str], told: Demographics | None) -> Person:
    """A person; erased and given anew, the answers are another row, and the mark is another one."""
    row = f"row {told.pk}" if told else f"worker {worker_id}"
    said = json.loads(told.answers) if told and told.answers else {}
    answers = {name: answer for name, answer in said.items() if about_people.is_offered(name, answer)}
    return Person(mark=crypto.blind_index("took part", row)[:24], roles=roles, answers=answers)
