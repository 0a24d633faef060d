"""The rows of a batch, as a file for a database of its own: no secret, and nobody's identity, is in it."""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any

from django.core import serializers
from django.core.serializers.json import Serializer
from django.db import connection
from django.db.models import Model

from crowd.rehearsal.interface import FamilyRehearsal
from hits.core import crypto
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.items import Item
from qualifications.models import Gate
from scoring.models import StudyRival

# Nothing listens there: the copy's account could reach nobody even if somebody asked.
NOWHERE = "http://127.0.0.1:9"
AT_ONCE = 500
# The key of the user who stands for all of them.
NOBODY = 1


class _Writer(Serializer):
    """Writes rows without their relations to many: members and excluded batches are none of the copy's."""

    def handle_m2m_field(self, obj: Any, field: Any) -> None:
        pass


def write_copy(batch: Batch, *, family: type[FamilyRehearsal]) -> str:
    """Return the rows that a rehearsal of this batch needs, as JSON."""
    items = Item.objects.filter(study=batch.study_id)
    roots: list[Iterable[Model]] = [
        Batch.objects.filter(study=batch.study_id, status=Batch.Status.DRAFT),
        items,
        Gate.objects.filter(study=batch.study_id, is_active=True),
        StudyRival.objects.filter(study=batch.study_id),
        *family.rows(items),
    ]
    rows = [_as_copied(row) for row in _with_targets(row for root in roots for row in root)]
    copy: str = _Writer().serialize(rows)
    return copy


def read_copy(copy: str) -> None:
    """Store a copy's rows. Keys of people are made anew: they belong to the keys of this process."""
    User.objects.create(pk=NOBODY, username="nobody", is_active=False)
    by_model: defaultdict[type[Model], list[Model]] = defaultdict(list)
    for row in serializers.deserialize("json", copy):
        by_model[type(row.object)].append(row.object)
    with connection.constraint_checks_disabled():
        for model, rows in by_model.items():
            if model is not Worker:
                model._meta.base_manager.bulk_create(rows, batch_size=AT_ONCE)
        for worker in (row for row in by_model[Worker] if isinstance(row, Worker)):
            _index(worker)
            worker.save()
    connection.check_constraints()


def size_of(copy: str) -> int:
    """Number of rows in a copy."""
    return len(json.loads(copy))


def _with_targets(rows: Iterable[Model]) -> Iterator[Model]:
    """Yield each row once, as it was given, and every further row that foreign keys lead to."""
    seen: set[tuple[type[Model], Any]] = set()
    waiting = deque(rows)
    while waiting:
        row = waiting.popleft()
        if (type(row), row.pk) in seen:
            continue
        seen.add((type(row), row.pk))
        yield row
        waiting += _targets(row)


def _targets(row: Model) -> Iterator[Model]:
    for field in row._meta.concrete_fields:
        if field.is_relation and getattr(row, field.attname) is not None:
            if field.related_model is User:
                # Who made it does not matter to its copy.
                setattr(row, field.attname, None if field.null else NOBODY)
            else:
                yield getattr(row, field.name)


def _as_copied(row: Model) -> Model:
    """The row without its secrets. Answers that an item has already stay behind: it needs the others."""
    if isinstance(row, Account):
        row.endpoint = row.worker_site = NOWHERE
        row.access_key_id = row.workspace_id = row.project_id = ""
        row.secret_access_key = row.ticket_key = row.hook_secret = ""
        row.environment, row.notify_by = Account.Environment.MARKETPLACE, Account.Notify.NONE
    if isinstance(row, Item):
        row.answers_needed = row.wanted
    if isinstance(row, Worker):
        row.external_id, row.pseudonym = f"COPIED{row.pk}", ""
    return row


def _index(worker: Worker) -> None:
    account = Account.objects.filter(pk=worker.account_id).values_list("public_id", flat=True).first()
    parts = (str(account or worker.account_id), worker.external_id)
    worker.external_id_index, worker.pseudonym = crypto.blind_index(*parts), crypto.pseudonym(*parts)
