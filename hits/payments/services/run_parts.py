"""Code that the services of bonus runs share. Lock order: the run, then its bonuses by their keys."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from django.db.models import QuerySet

from hits.common.currencies import in_order
from hits.core.domain.typed_text import has_controls, is_one_line
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run, RunRow
from hits.work.access import visible

Status = Run.Status
LONGEST_REASON = 500
LONGEST_NOTE = 2000
# This many keys fit into one statement on both databases.
CHUNK = 2000


def lock_run(run: Run) -> Run:
    return Run.objects.select_for_update(of=("self",)).select_related("prepared_by").get(pk=run.pk)


def lock_bonuses(bonuses: QuerySet[Bonus]) -> list[Bonus]:
    return list(bonuses.order_by("pk").select_for_update(of=("self",), no_key=True))


def lock_free(bonuses: Iterable[Bonus], *, by: User) -> list[Bonus]:
    """Lock and return the bonuses that are owed, not held, in no other run, and visible to this user.

    Raises RuleBroken if none is left.
    """
    keys = [bonus.pk for bonus in bonuses]
    owed = Bonus.objects.filter(pk__in=keys, status=Bonus.Status.OWED, held_at=None)
    taken = RunRow.objects.filter(is_live=True, bonus__in=keys).values("bonus")
    if free := lock_bonuses(visible(owed.exclude(pk__in=taken), by)):
        return free
    raise RuleBroken(
        "nothing_owed", "Nothing of this can go into a run: it is decided on, held, or in another run."
    )


def currency_of(bonuses: Iterable[Bonus]) -> str:
    """Return the currency of the bonuses. Raises RuleBroken if there are several: a run has one total."""
    found = in_order(bonus.currency for bonus in bonuses)
    if len(found) > 1:
        raise RuleBroken(
            "two_currencies",
            f"These bonuses are in {' and '.join(found)}, and a run holds one currency. Make a run for each: "
            "choose one currency at a time.",
        )
    return found[0]


def refuse_other_currency(run: Run, bonuses: Iterable[Bonus]) -> None:
    """Raise RuleBroken unless all these bonuses are in the run's currency."""
    if other := in_order(bonus.currency for bonus in bonuses if bonus.currency != run.currency):
        raise RuleBroken(
            "other_currency",
            f"This run is in {run.currency}, and some of these bonuses are in {' and '.join(other)}. "
            "Nothing was added: make another run for those.",
        )


def count_run(run: Run) -> None:
    amounts = run.rows.filter(is_live=True).values_list("bonus__amount", flat=True)
    run.count, run.total = len(amounts), sum(amounts, Decimal(0))
    run.save(update_fields=["count", "total"])


def let_go(run: Run) -> None:
    """Free the run's bonuses for other runs; its rows stay on record."""
    run.rows.filter(is_live=True).update(is_live=False)


def refuse_unless(by: User, permission: str) -> None:
    if not by.has_perm(permission):
        raise RuleBroken("not_allowed", "Your role does not include this. Ask the manager of the accounts.")


def refuse_stranger(run: Run, *, by: User) -> None:
    """Refuse everyone but the preparer: a person who changed the run could otherwise approve it."""
    refuse_unless(by, "hits.prepare_run")
    if run.prepared_by_id != by.pk:
        raise RuleBroken("not_yours", "Only the person who prepared a run can change it.")


def check_reason(reason: str, *, longest: int = LONGEST_REASON) -> str:
    words = " ".join(reason.split())
    if not is_one_line(words, longest=longest):
        raise RuleBroken("no_reason", f"Say why, in at most {longest} characters: others will read it.")
    return words


def check_note(note: str) -> str:
    """Return the note, cleaned; it may be empty. Raises RuleBroken if too long or with control characters."""
    words = note.replace("\r\n", "\n").strip()
    if len(words) > LONGEST_NOTE or has_controls(words):
        raise RuleBroken(
            "bad_note", f"A note has at most {LONGEST_NOTE} characters, and no control characters."
        )
    return words


def check_title(title: str) -> str:
    words = " ".join(title.split())
    if not is_one_line(words, longest=128):
        raise RuleBroken("no_title", "Give the run a title of at most 128 characters.")
    return words


def not_now(run: Run) -> RuleBroken:
    return RuleBroken("not_now", f"This run is {in_words(run)} by now. Nothing was changed.")


def in_words(run: Run) -> str:
    words = run.get_status_display()
    return words[:1].lower() + words[1:]


def chunks(bonuses: Sequence[Bonus]) -> Iterator[Sequence[Bonus]]:
    return (bonuses[start : start + CHUNK] for start in range(0, len(bonuses), CHUNK))
