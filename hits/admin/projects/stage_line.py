"""The stages of a project in one line: what has come of each, and the one thing to do next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.urls import reverse

from hits.admin.projects.project_batches import ShownCard
from hits.admin.projects.project_cards import Metric
from hits.studies.models import Batch

Status = Batch.Status
RUNNING = (Status.LAUNCHING, Status.OPEN, Status.DRAINING)


class StageState(StrEnum):
    DONE = "done"
    TO_DO = "to do"
    UNDER_WAY = "under way"
    # Nothing runs: some of a known number is there, or some of a number that nobody has set.
    BEGUN = "begun"
    READY = "ready"
    NOTHING_YET = "nothing yet"


@dataclass(frozen=True, kw_only=True)
class Stage:
    title: str
    url: str
    figure: Metric
    state: StageState


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """What to do next in a project, and the button of the page behind it, if there is one."""

    key: str
    title: str
    words: str
    card_url: str
    button: str = ""
    url: str = ""


def stages_of(shown: Sequence[ShownCard], *, home: str) -> Iterator[Stage]:
    """Yield the stages. `home` is the address of the project's page, which has all of its cards."""
    for one in shown:
        if figure := one.card.stage:
            yield Stage(
                title=one.card.title,
                url=f"{home}#{one.card.key}",
                figure=figure,
                state=_state_of(one, figure),
            )


def next_step(shown: Sequence[ShownCard], *, home: str, may_draft: bool) -> NextStep | None:
    """Return the first thing that is to be done, in the order of the work."""
    one = next((one for one in shown if one.next), None)
    if one is None:
        return None
    button, url = _way(one, may_draft=may_draft)
    return NextStep(
        key=one.card.key,
        title=one.card.title,
        words=one.next,
        card_url=f"{home}#{one.card.key}",
        button=button,
        url=url,
    )


def _state_of(one: ShownCard, figure: Metric) -> StageState:
    if one.next:
        return StageState.TO_DO
    if figure.is_complete:
        return StageState.DONE
    if _runs(one):
        return StageState.UNDER_WAY
    if not figure.count:
        return StageState.NOTHING_YET
    return StageState.READY if figure.of is None else StageState.BEGUN


def _runs(one: ShownCard) -> bool:
    """Whether a batch of the card asks workers, or its own work in the background is not done."""
    batches = (batch for asked in one.asked for batch in asked.batches)
    return any(batch.status in RUNNING for batch in batches) or any(
        bar.done < bar.of for bar in one.card.progress
    )


def _way(one: ShownCard, *, may_draft: bool) -> tuple[str, str]:
    """Return the card's first link, or that to a draft of a batch.

    An action of the card changes something, so it is pressed where the card stands.
    """
    if any(action.is_first for action in one.card.offered):
        return "", ""
    if link := next((link for link in one.card.links if link.is_first), None):
        return link.name, link.url
    waiting = next((asked for asked in one.asked if asked.waits_for_a_launch), None)
    if not waiting or not may_draft:
        return "", ""
    if draft := waiting.draft:
        return f"Go on with the draft “{draft.title}”", reverse("admin:hits_batch_launch", args=[draft.pk])
    return "Launch a batch…", waiting.draft_url
