"""Questions drawn from an association list, shown in pictures of the pool, and added to a draft."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from django.db import transaction

from crowd.pictures.models import Picture
from crowd.pictures.profanity import is_profane
from crowd.pictures.services.picture_states import lock_pictures
from crowd.winogavil.files import write_lines
from crowd.winogavil.services.picture_set_draw import Pool, has_near_duplicates
from crowd.winogavil.services.withdrawal import pull_or_restore
from hits.batches.services import drafting
from hits.core.errors import InvalidItems, RuleBroken
from hits.studies.models import Batch
from hits.work.models.items import Item
from qualifications.domain.instances import Instance

# Most rounds in which questions that cannot be shown are replaced: each draws twice as many as the last.
TRIES = 6
# Draws this many instances, or all that there are; the first of them are always the same.
Generate = Callable[[int], Sequence[Instance]]
KNOWN, COARSE, ALIKE = "asked already", "with coarse words", "with pictures that are nearly alike"


@dataclass(frozen=True, kw_only=True)
class Question:
    cue: str
    # Pictures in the order drawn, each with whether it belongs to the cue.
    pictures: tuple[tuple[Picture, bool], ...]


def draw_questions(
    generate: Generate, *, pool: Pool, count: int, seed: int, known: Collection[str]
) -> list[Question]:
    """The first questions that can be shown, without `known` cues. Raises RuleBroken if there are too few."""
    for tried in range(TRIES):
        wanted = count * 2**tried
        found = generate(wanted)
        shown = [_show(instance, pool=pool, seed=seed, known=known) for instance in found]
        fit = [one for one in shown if isinstance(one, Question)]
        if len(fit) >= count:
            return fit[:count]
        if len(found) < wanted:
            break
    reasons = Counter(one for one in shown if isinstance(one, str))
    left_out = "".join(f", {number} of them {why}" for why, number in reasons.items())
    raise RuleBroken(
        "nothing_to_show",
        f"Only {len(fit)} of {count} can be made: list and pool gave {len(found)}{left_out}. "
        "Ask for fewer, use another seed, or add pictures of more concepts.",
    )


def add_to_draft(questions: Sequence[Question], *, batch: Batch, seen: int | None, now: datetime) -> int:
    """Add all questions to the draft, or raise RuleBroken; `seen` is how many items the page showed."""
    with transaction.atomic():
        lock_pictures({picture.pk for one in questions for picture, _ in one.pictures})
        if batch.items_from == Batch.ItemsFrom.POOL:
            source = {"items_from": Batch.ItemsFrom.FILE, "source_batch": None}
            batch = drafting.save_step(batch=batch, step="what", values=source)
        try:
            added = drafting.add_items(batch=batch, content=_as_file(questions), seen=seen)
        except InvalidItems as problem:
            raise RuleBroken(
                "pool_changed", f"The pool has changed meanwhile. Look again. {' '.join(problem.problems)}"
            ) from problem
        pull_or_restore(Item.objects.filter(batch=batch), now=now)
    return added


def _show(instance: Instance, *, pool: Pool, seed: int, known: Collection[str]) -> Question | str:
    """The question in pictures, or why it is not asked."""
    if instance.cue.casefold() in known:
        return KNOWN
    if is_profane(instance.cue):
        return COARSE
    # Each question has a generator of its own: how many are made at once makes no difference.
    rng = Random(f"{seed} {len(instance.candidates)} {instance.cue}")  # noqa: S311 - repeatable, not secret
    pictures = pool.one_of_each([text.casefold() for text in instance.candidates], rng)
    if has_near_duplicates(pictures):
        return ALIKE
    belongs = [text in instance.chosen for text in instance.candidates]
    return Question(cue=instance.cue, pictures=tuple(zip(pictures, belongs, strict=True)))


def _as_file(questions: Sequence[Question]) -> bytes:
    """The questions as a researcher's file, so that they pass the same checks."""
    return write_lines(
        *(
            (
                one.cue,
                [picture.key for picture, _ in one.pictures],
                [picture.key for picture, belongs in one.pictures if belongs],
            )
            for one in questions
        )
    ).encode()
