"""Drafts of batches, in steps: each step is saved by itself, and only while nobody has launched the draft."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import structlog
from django.db import IntegrityError, transaction

from hits import families
from hits.batches import domain as criteria
from hits.batches.services.budgets import refuse_other_currency
from hits.batches.services.launching import launch_batch
from hits.core import audit_trail
from hits.core.domain import requirements
from hits.core.errors import InvalidItems, RuleBroken
from hits.identity.models.users import User
from hits.providers.capabilities import Gating
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, StartingTerms, Study
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.queries.items import answers_wanted, places_for

STEPS: dict[str, tuple[str, ...]] = {
    "what": ("study", "account", "task", "items_from", "source_batch"),
    "terms": (
        "title",
        "description",
        "keywords",
        "reward",
        "hits_wanted",
        "assignments_per_hit",
        "sharding",
        "items_per_assignment",
        "attention_rate",
        "duration_s",
        "lifetime_s",
        "auto_approval_s",
        "review_by",
        "pilot_hits",
        "estimated_s",
    ),
    "people": ("requirements", "english_speakers", "exclude_batches", "repeat_group"),
}
EXCLUSIONS = "exclude_batches"
# The terms that a study may begin otherwise than the task.
OF_STUDIES = ("reward", "workers_per_hit", "items_each", "duration_s", "requirements", "english_speakers")
MOST_BYTES = 5_000_000
MOST_ITEMS = 5_000
MOST_HITS = 100_000
ASKS_ONCE = "This task cannot ask an item again. Choose another source of its items."
NO_ATTENTION = "This task cannot mix attention items into its pages. Set their share to 0 first."
ItemsFrom = Batch.ItemsFrom
log = structlog.get_logger()


def start_draft(
    *, study: Study, account: Account, task: str, by: User | None, key: UUID | None = None, **values: Any
) -> Batch:
    """Return a draft with the task's own terms. Idempotent: two calls with one key make one draft."""
    key = key or uuid4()
    if known := Batch.objects.filter(public_id=key, created_by=by).first():
        return known
    refuse_other_currency(study=study, account=account)
    terms = {**_terms_of(task, study=study, account=account), **values}
    draft = Batch(public_id=key, study=study, account=account, task=task, created_by=by, **terms)
    try:
        with transaction.atomic():
            _save_new(draft)
            draft.hits_wanted = values.get("hits_wanted") or suggest_hits(draft)
            _check_size(draft)
            draft.save()
    except IntegrityError:
        # Sent twice at the same moment: the other one was first.
        return Batch.objects.get(public_id=key, created_by=by)
    log.info("batch.drafted", batch=str(draft.public_id))
    return draft


def first_terms(key: str, *, study: Study, said: Mapping[str, StartingTerms] | None = None) -> families.Terms:
    """Return what a new draft starts with: the task's own terms, but for what the study's starting terms say.

    Requirements are only the study's: those of the task are offered in the guide. `said` holds the study's
    starting terms by task where somebody has read them for several.
    """
    task = families.get(key)
    terms = task.suggest_terms(study=study) if isinstance(task, families.SuggestsTerms) else task.terms
    own = (starting_terms_of(study, key) if said is None else said).get(key)
    if own is None:
        return replace(terms, requirements=(), english_speakers=False)
    return replace(terms, **{name: value for name in OF_STUDIES if (value := getattr(own, name)) is not None})


def starting_terms_of(study: Study, *tasks: str) -> dict[str, StartingTerms]:
    """Return the study's starting terms of these tasks by task."""
    return {row.task: row for row in StartingTerms.objects.filter(study=study, task__in=tasks)}


def leave_out_strangers_terms(*, batch: Batch, seen: str) -> list[str]:
    """Have the draft ask for no country and no record of approved work. Returns what it asked, in words.

    Raises RuleBroken if the draft was saved since `seen`.
    """
    asked = [row for row in batch.requirements if requirements.is_of_strangers(row)]
    values = {"requirements": requirements.for_own_people(batch.requirements)}
    save_step(batch=batch, step="people", values=values, seen=seen)
    return requirements.in_words(asked)


def work_with_own_people(*, study: Study, by: User, now: datetime) -> None:
    """Have new drafts of the study ask for no country and no record of approved work."""
    Study.objects.filter(pk=study.pk).update(own_people=True)
    words = "New drafts ask for no country and no record of approved work: people of one's own."
    audit_trail.note("study.own_people", words, by=by, now=now, study=study)


def _terms_of(key: str, *, study: Study, account: Account) -> dict[str, Any]:
    terms = first_terms(key, study=study)
    is_own = study.own_people and account.environment == Account.Environment.MARKETPLACE
    asked = requirements.for_own_people(terms.requirements) if is_own else terms.requirements
    if account.can.gating == Gating.GROUPS:  # what its provider does not know is asked for by filters there
        asked = [row for row in asked if requirements.FILTER in row]
    return {
        "title": terms.title,
        "description": terms.description,
        "estimated_s": terms.item_s * terms.items_each,
        "duration_s": terms.duration_s,
        "items_per_assignment": terms.items_each,
        "assignments_per_hit": terms.workers_per_hit,
        "reward": terms.reward,
        "requirements": [dict(row) for row in asked],
        "english_speakers": terms.english_speakers,
    }


def stamp(batch: Batch, step: str) -> str:
    """Digest of this step's values: it stays the same until somebody saves others."""
    return _digest({name: _plain(batch, name) for name in STEPS[step]})


def stamp_all(batch: Batch) -> str:
    """Digest of the whole draft: what a launch page has shown is what is launched."""
    stamps = [stamp(batch, step) for step in STEPS]
    promised = [batch.study.bonus_rules, str(batch.study.wage_floor)]  # shown there too
    return _digest([stamps, promised])


def save_step(*, batch: Batch, step: str, values: Mapping[str, Any], seen: str | None = None) -> Batch:
    """Save one step. Raises RuleBroken("stale"), with nothing saved, if others saved it since `seen`."""
    with transaction.atomic():
        draft = lock_draft(batch)
        if seen is not None and seen != stamp(draft, step):
            raise RuleBroken(
                "stale",
                "This step was saved in another window, or by somebody else, after you opened it. "
                "What you typed is still here. Compare, and save again to keep yours.",
            )
        save_values(draft, {name: values[name] for name in STEPS[step] if name in values})
    return draft


def save_values(draft: Batch, values: dict[str, Any]) -> None:
    """Save values. The caller holds the draft's lock and has checked the values themselves."""
    exclusions = values.pop(EXCLUSIONS, None)
    before = suggest_hits(draft)
    wanted = (values.pop("items_from", draft.items_from), values.pop("source_batch", draft.source_batch))
    _keep_items_together(draft, values, items_from=wanted[0])
    if {"study", "account"} & set(values):
        study, account = values.get("study", draft.study), values.get("account", draft.account)
        refuse_other_currency(study=study, account=account)
    environment = draft.account.environment
    for name, value in values.items():
        setattr(draft, name, value)
    if draft.account.environment != environment:
        draft.requirements = criteria.move_masters(draft.requirements, environment=draft.account.environment)
    if exclusions is not None:
        draft.exclude_batches.set(exclusions)
    _take_items_from(draft, *wanted)
    if "hits_wanted" not in values:
        _follow(draft, before=before)
    _check_size(draft)
    draft.save()


def add_items(*, batch: Batch, content: bytes, seen: int | None = None) -> int:
    """Add all lines of the file, or none. Raises InvalidItems with every line that is wrong."""
    if len(content) > MOST_BYTES:
        raise InvalidItems([f"A file has at most {MOST_BYTES // 1_000_000} MB. Cut it into several."])
    task = _taking_files(batch)
    rows = task.read_items(content)
    with transaction.atomic():
        draft = lock_draft(batch)
        there = draft.items.count()
        if draft.items_from != ItemsFrom.FILE:
            raise RuleBroken("not_from_file", "Choose a file as the source of the items first, and save.")
        if draft.task != batch.task:
            raise RuleBroken("stale", "The task was changed meanwhile. Add the file again.")
        if seen is not None and seen != there:
            raise RuleBroken(
                "stale", f"The batch has {there} items by now. Check whether this file is already among them."
            )
        if there + len(rows) > MOST_ITEMS:
            raise InvalidItems(
                [f"A batch has at most {MOST_ITEMS} items; these would be {there + len(rows)}."]
            )
        before = suggest_hits(draft)
        added = task.add_items(rows, batch=draft)
        _follow(draft, before=before)
        draft.save(update_fields=["hits_wanted"])
    log.info("batch.items_added", batch=str(batch.public_id), items=added)
    return added


def remove_items(*, batch: Batch) -> int:
    """Remove all of the draft's own items. The study's pool stays as it is."""
    with transaction.atomic():
        draft = lock_draft(batch)
        before = suggest_hits(draft)
        removed = _drop_items(draft)
        if draft.items_from == ItemsFrom.BATCH:
            _leave_source(draft)
            draft.items_from = ItemsFrom.POOL
        _follow(draft, before=before)
        draft.save()
    return removed


def copy_batch(*, batch: Batch, by: User | None) -> Batch:
    """Return a new draft with the same terms. Items of a file stay with the batch that asked them."""
    _refuse_own(batch)
    names = [name for step in STEPS.values() for name in step if name != EXCLUSIONS]
    draft = Batch(**{name: getattr(batch, name) for name in names}, created_by=by)
    with transaction.atomic():
        _save_new(draft, exclusions=batch.exclude_batches.all())
        draft.save()
    log.info("batch.copied", batch=str(draft.public_id), source=str(batch.public_id))
    return draft


def launch_draft(*, batch: Batch, seen: str, by: User, confirmed: bool, now: datetime) -> None:
    """Launch what the launch page has shown. Raises RuleBroken if the draft was saved since."""
    with transaction.atomic():
        if seen != stamp_all(lock_draft(batch)):
            raise RuleBroken(
                "stale", "The draft was changed after this page was opened. Look at it again, then launch."
            )
        launch_batch(batch=batch, by=by, confirmed=confirmed, now=now)


def delete_draft(*, batch: Batch) -> None:
    with transaction.atomic():
        draft = lock_draft(batch)
        _drop_items(draft)
        draft.delete()
    log.info("batch.draft_deleted", batch=str(batch.public_id))


def lock_draft(batch: Batch) -> Batch:
    """Return the draft, locked in the caller's transaction. Raises RuleBroken if it is no draft any more."""
    rows = Batch.objects.select_for_update(of=("self",)).select_related("study", "account")
    draft = rows.filter(pk=batch.pk).first()
    if draft is None:
        raise RuleBroken("gone", "This draft was deleted meanwhile. Nothing was saved.")
    if draft.status != Batch.Status.DRAFT:
        raise RuleBroken("not_a_draft", "This batch is no longer a draft: its terms cannot be changed.")
    _refuse_own(draft)
    return draft


def _refuse_own(batch: Batch) -> None:
    if not families.is_offered(batch.task):
        raise RuleBroken(
            "not_by_hand",
            "This batch pays one bonus, as two people approved it: it is not changed, copied or deleted. "
            "Cancel it if the bonus is to be paid in another way.",
        )


def suggest_hits(batch: Batch) -> int:
    """Number of HITs that ask for every answer that is needed, and never none."""
    return hits_for(batch, answers=answers_wanted(batch))


def hits_for(batch: Batch, *, answers: int) -> int:
    places = places_for(batch, answers=answers)
    return max(1, min(-(-places // batch.assignments_per_hit), MOST_HITS))


def _save_new(draft: Batch, *, exclusions: Iterable[Batch] = ()) -> None:
    """Save the row first, for items and exclusions point at it; the caller saves it once more afterwards."""
    wanted = (draft.items_from, draft.source_batch)
    draft.items_from, draft.source_batch = ItemsFrom.POOL, None
    draft.save()
    draft.exclude_batches.set(exclusions)
    _take_items_from(draft, *wanted)


def _check_size(draft: Batch) -> None:
    most = families.get(draft.task).terms.most_items
    if draft.items_per_assignment > most:
        raise RuleBroken(
            "too_many_items_each",
            f"A page of this task has {most} item{'' if most == 1 else 's'} at most. "
            "Lower the items for each assignment first.",
        )
    if draft.attention_rate and not families.mixes_attention(draft.task):
        raise RuleBroken("no_attention_items", NO_ATTENTION)
    hits = len(draft.sizes) * draft.hits_wanted
    if hits > MOST_HITS:
        raise RuleBroken(
            "too_many_hits",
            f"These would be {hits:,} HITs; a batch has at most {MOST_HITS:,}. Ask for fewer.",
        )


def _follow(draft: Batch, *, before: int) -> None:
    """Move the number of HITs with the items, as long as nobody has set another."""
    if draft.hits_wanted == before:
        draft.hits_wanted = suggest_hits(draft)


def _keep_items_together(draft: Batch, values: Mapping[str, Any], *, items_from: str) -> None:
    """Keep a draft's own items with study and task: drop repeated ones, or refuse if they are a file's."""
    moved = any(name in values and values[name] != getattr(draft, name) for name in ("study", "task"))
    left = draft.items_from == ItemsFrom.FILE and items_from != ItemsFrom.FILE
    if (moved or left) and (count := draft.items.count()):
        if draft.items_from == ItemsFrom.BATCH:
            _drop_items(draft)
            _leave_source(draft)
            return
        raise RuleBroken(
            "has_items", f"Remove the {count} items of this batch first: they came from a file for it."
        )


def _take_items_from(draft: Batch, items_from: str, source: Batch | None) -> None:
    if items_from != ItemsFrom.BATCH:
        if draft.items_from == ItemsFrom.BATCH:
            _drop_items(draft)
            _leave_source(draft)
        draft.items_from, draft.source_batch = ItemsFrom(items_from), None
        return
    if draft.items_from == ItemsFrom.BATCH and draft.source_batch == source:
        return
    items = _items_to_repeat(draft, source)
    _drop_items(draft)
    _leave_source(draft)
    assert source is not None  # noqa: S101 - _items_to_repeat has refused that
    task = families.get(draft.task)
    assert isinstance(task, families.AsksAnew)  # noqa: S101 - likewise
    task.repeat_items(items, batch=draft)
    draft.items_from, draft.source_batch = ItemsFrom.BATCH, source
    # Workers of the source batch already know these items.
    draft.exclude_batches.add(source)


def _taking_files(batch: Batch) -> families.TakesFiles:
    if task := families.taking_files(batch.task):
        return task
    raise InvalidItems(["This task takes no items from a file."])


def _items_to_repeat(draft: Batch, source: Batch | None) -> Sequence[Item]:
    """Items that the other batch asked: its own, or those that its workers were given of the pool."""
    if not families.asks_anew(draft.task):
        raise RuleBroken("asks_once", ASKS_ONCE)
    if source is None:
        raise RuleBroken("no_source", "Choose the batch whose items are to be asked again.")
    if (source.study_id, source.task) != (draft.study_id, draft.task) or not source.is_launched:
        raise RuleBroken("wrong_source", "Choose a launched batch of the same study and the same task.")
    asked = Item.objects.filter(study=source.study_id, task=source.task, pulled_at=None)
    if source.items_from == ItemsFrom.POOL:
        leases = Lease.objects.filter(assignment__hit__batch=source)
        asked = asked.filter(pk__in=leases.exclude(status__in=Lease.NO_ANSWER).values("item"))
    else:
        asked = asked.filter(batch=source)
    items = list(asked.order_by("pk")[: MOST_ITEMS + 1])
    if not items:
        raise RuleBroken("nothing_asked", "That batch has asked nothing yet, so nothing can be asked again.")
    if len(items) > MOST_ITEMS:
        raise RuleBroken("too_many_items", f"A batch has at most {MOST_ITEMS} items; that one asked more.")
    return items


def _leave_source(draft: Batch) -> None:
    """Forget the source batch, and with it the exclusion that came with it."""
    if draft.source_batch is not None:
        draft.exclude_batches.remove(draft.source_batch)
    draft.source_batch = None


def _drop_items(draft: Batch) -> int:
    task = families.get(draft.task)
    if isinstance(task, families.KeepsItems):
        task.remove_items(batch=draft)
    removed, _ = Item.objects.filter(batch=draft).delete()
    return removed


def _digest(values: Any) -> str:
    """Digest of the values, however a database orders the keys of a JSON column."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:24]


def _plain(batch: Batch, name: str) -> Any:
    if name == EXCLUSIONS:
        return sorted(other.pk for other in batch.exclude_batches.all())
    value = batch.serializable_value(name)
    return value if isinstance(value, list | dict) else str(value)
