"""What a purge erases, part by part. Higher rooms register their own from AppConfig.ready."""

import secrets
from base64 import b32encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import uuid4

from django.db.models import Exists, OuterRef, Q, QuerySet

from hits.identity.models.workers import Worker
from hits.studies.models import Study

Keeper = Callable[[], QuerySet[Any]]


@dataclass(frozen=True, kw_only=True)
class Part:
    """Rows of one kind with personal data. `rows` finds what is still to erase: nothing, once it is done.

    `told` is what goes into the digest of the erased: the words or the id that are about to be gone.
    """

    key: str
    name: str
    rows: Callable[[Study], QuerySet[Any]]
    erase: Callable[[Study, Sequence[Any], datetime], None]
    told: Callable[[Any], str]


_parts: list[Part] = []
_keepers: list[Keeper] = []


def register(*parts: Part) -> None:
    _parts.extend(parts)


def keep_whoever(of: Keeper) -> None:
    """Keep the id of workers of whom this finds a row, by OuterRef("pk"): it protects somebody."""
    _keepers.append(of)


def parts() -> list[Part]:
    """Return every part. People come last: the others are found by them."""
    return [*_parts, PEOPLE]


def blanking(model: Any, *columns: str, name: str, path: str = "", to: str = "") -> Part:
    """A part whose rows stay, without what people typed into these columns."""
    way = path or path_of(model)

    def rows(study: Study) -> QuerySet[Any]:
        untouched = Q(*((column, to) for column in columns))
        return model._default_manager.filter(**{way: study}).exclude(untouched)  # type: ignore[no-any-return]

    def erase(_study: Study, found: Sequence[Any], _now: datetime) -> None:
        by_key = model._default_manager.filter(pk__in=[row.pk for row in found])
        by_key.update(**dict.fromkeys(columns, to))

    def told(row: Any) -> str:
        return "\x1f".join(str(getattr(row, column)) for column in columns)

    return Part(key=model._meta.db_table, name=name, rows=rows, erase=erase, told=told)


def deleting(
    model: Any, *, name: str, told: Callable[[Any], str], rows: Callable[[Study], QuerySet[Any]] | None = None
) -> Part:
    """A part whose rows are deleted."""
    found_in = rows or (lambda study: model._default_manager.filter(**{path_of(model): study}))

    def erase(_study: Study, found: Sequence[Any], _now: datetime) -> None:
        model._default_manager.filter(pk__in=[row.pk for row in found]).delete()

    return Part(key=model._meta.db_table, name=name, rows=found_in, erase=erase, told=told)


@dataclass(frozen=True, kw_only=True)
class WorkLink:
    """A column that says who did a piece of work, and the way from its row to the study."""

    model: Any
    column: str
    path: str

    def rows(self, **found_by: Any) -> QuerySet[Any]:
        return self.model._default_manager.filter(**found_by)  # type: ignore[no-any-return]


@cache
def work_links() -> tuple[WorkLink, ...]:
    """Return each column that names a worker for work in a study. Models say the way by `purge_path`."""
    return tuple(_work_links())


def _work_links() -> Iterator[WorkLink]:
    for relation in Worker._meta.get_fields(include_hidden=True):
        model: Any = relation.related_model
        if relation.auto_created and not relation.concrete and (path := path_of(model)):
            yield WorkLink(model=model, column=relation.field.name, path=path)  # type: ignore[union-attr]


def path_of(model: Any) -> str:
    return str(getattr(model, "purge_path", getattr(model, "study_path", "")))


def people_of(study: Study) -> QuerySet[Worker]:
    """Return the workers who did something in the study and are still known."""
    return Worker.objects.filter(_any_work(lambda link: Q(**{link.path: study})), erased_at=None)


def only_in(study: Study) -> QuerySet[Worker]:
    """Return those of them whose id serves nothing else: no other study, and no block."""
    others = people_of(study).exclude(_any_work(lambda link: ~Q(**{link.path: study})))
    for keeper in _keepers:
        others = others.exclude(Exists(keeper()))
    return others


def _any_work(condition: Callable[[WorkLink], Q]) -> Q:
    found = Q()
    for link in work_links():
        found |= Q(Exists(link.rows(**{link.column: OuterRef("pk")}).filter(condition(link))))
    return found


def _forget_people(study: Study, workers: Sequence[Worker], now: datetime) -> None:
    alone = set(only_in(study).filter(pk__in=[one.pk for one in workers]).values_list("pk", flat=True))
    for worker in workers:
        if worker.pk in alone:
            Worker.objects.filter(pk=worker.pk).update(**_nobody(now))
        else:
            _part_with(worker, study=study, now=now)


def _part_with(worker: Worker, *, study: Study, now: datetime) -> None:
    """Give the worker's part in this study to a row that says of nobody who it was."""
    stand_in = Worker.objects.create(account_id=worker.account_id, **_nobody(now))
    for link in work_links():
        link.rows(**{link.column: worker, link.path: study}).update(**{link.column: stand_in})


def _nobody(now: datetime) -> dict[str, Any]:
    drawn = b32encode(secrets.token_bytes(10))[:10].decode().lower()
    return {
        "external_id": "",
        "external_id_index": secrets.token_hex(32),
        "pseudonym": f"w-{drawn}",
        # Links to a statement, and files that were exported, lead to nobody either.
        "public_id": uuid4(),
        "erased_at": now,
    }


PEOPLE = Part(
    key="hits_worker",
    name="People: the provider's id and the pseudonym of each",
    rows=people_of,
    erase=_forget_people,
    told=lambda worker: str(worker.external_id_index),
)
