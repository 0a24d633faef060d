"""The spymaster's task: cues for one set of pictures, each put to the rival once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import QueryDict
from django.templatetags.static import static
from django.utils.translation import gettext as _

from crowd.winogavil import domain
from crowd.winogavil.models import Association, PictureSet, PictureSetPlace
from crowd.winogavil.queries.games import game_of
from crowd.winogavil.services.assignment_picture_sets import picture_set_of_slot, picture_sets_of
from crowd.winogavil.services.association_creation import scores_as_author
from crowd.winogavil.services.association_verdicts import as_shown
from crowd.winogavil.services.cue_check import check_cue
from crowd.winogavil.services.reports import picture_target, take_report
from crowd.winogavil.solver_task import PRACTICE
from crowd.winogavil.spymaster_columns import FLAT, MadeWord, words_made
from hits.common.currencies import in_money
from hits.common.kept_queries import KeptQuery, given_id
from hits.common.percentages import percentage
from hits.core.domain.bonus_rules import BonusRule, Tiers, Work, evaluate, pay_of_item
from hits.core.errors import InvalidAnswer
from hits.datasets.columns import Column
from hits.families import (
    Answer,
    AsksRival,
    FlattensWork,
    GivesFeedback,
    NarrowsItems,
    PreviewsBatches,
    Proposal,
    RecoversAnswers,
    Score,
    ServedWork,
    TakesReports,
    TaskPage,
    TaskType,
    Terms,
)
from hits.providers.capabilities import OF_PLAYERS
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.leasing import items_served
from scoring.models import RivalQuery

SLOTS = (1, 2)
WORDS_ASKED = KeptQuery(
    lambda: RivalQuery.objects.filter(assignment=given_id("assignment")).values_list("slot", "text")
)


class CreateTask(
    TaskType,
    AsksRival,
    TakesReports,
    RecoversAnswers,
    GivesFeedback,
    FlattensWork,
    NarrowsItems,
    PreviewsBatches,
):
    key = domain.CREATE
    name = "Association game: create"
    role = "Spymasters"
    item_noun = "picture set"
    terms = Terms(
        title="Find a word that fools the model",
        description=(
            "You see some pictures. Find words that people connect with some of them, and a model does not."
        ),
        item_s=180,
        reward=Decimal("0.07"),
        most_items=1,  # an assignment is about one set of pictures
        # A worker can do a HIT once, whatever set it leases: with several places some could never be filled.
        workers_per_hit=1,
        requirements=domain.PAPER_ASKS,
    )
    measures = (domain.FOOL, domain.SOLVABLE)
    scored_per_item = len(SLOTS)
    is_judged_later = True
    most_cues: ClassVar[int] = len(SLOTS)

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Leave out sets about which this worker asked the model: returning gives no second chance with it.

        A player who skips a set is shown other pictures, whether the model was asked or not.
        """
        used_up = Q(assignment__rival_queries__isnull=False) | Q(assignment__account__kind__in=OF_PLAYERS)
        met = Lease.objects.filter(used_up, item=OuterRef("pk"), worker=worker_id)
        return items.exclude(Exists(met))

    def practice_page(self) -> TaskPage:
        pictures = [{"url": static(f"winogavil/{name}.svg")} for name in PRACTICE["all"]]
        return _page(pictures, slots=[{"number": number} for number in SLOTS])

    def preview_page(self, *, batch: Batch) -> TaskPage:
        """The example, with what this batch pays for a word."""
        page = self.practice_page()
        bonuses = _bonuses(batch.rules, currency=batch.currency)
        return replace(page, context={**page.context, "bonuses": bonuses})

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        asked = {
            rival_query.slot: rival_query for rival_query in RivalQuery.objects.filter(assignment=assignment)
        }
        places = _places(items)
        pictures = [{"url": f"/pictures/{place.picture.key}/480/"} for place in places]
        slots = [{"number": number, "rival_query": asked.get(number)} for number in slots_of(assignment)]
        reports = [
            picture_target(place.picture.key, number=number) for number, place in enumerate(places, start=1)
        ]
        bonuses = _bonuses(assignment.hit.batch.rules, currency=assignment.hit.batch.currency)
        return _page(pictures, slots=slots, reports=reports, bonuses=bonuses)

    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        items = [item.pk for item in items_served(assignment)]
        take_report(form=form, items=items, worker=assignment.worker, now=now)

    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        rows = RivalQuery.objects.filter(assignment=assignment).select_related("item__association")
        picture_sets, rival_queries = picture_sets_of(assignment), list(rows.order_by("slot"))
        answered = _answers_to([rival_query.item for rival_query in rival_queries if rival_query.item])
        cues = [
            _reviewed(
                rival_query,
                rules=assignment.hit.batch.rules,
                currency=assignment.hit.batch.currency,
                places=picture_set_of_slot(picture_sets, rival_query.slot).places.all(),
                answered=answered.get(rival_query.item_id or 0, 0),
            )
            for rival_query in rival_queries
        ]
        context = {"cues": cues, "people": domain.SOLVERS_WANTED}
        return TaskPage(template="winogavil/review_cues.html", context=context)

    def feedback_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage | None:
        """The spymaster knows the model's verdict already; the news is what people made of the words."""
        return self.review_page(assignment=assignment, items=items)

    def read_proposal(self, *, form: QueryDict, assignment: Assignment) -> Proposal:
        """Read the proposal; the pictures are the HIT's own, and the page only says which are chosen."""
        slot = int(form.get("slot") or 0)
        if slot not in self.slots(assignment):
            raise InvalidAnswer(_("The page did not say which word is meant. Please reload it."))
        places = list(picture_set_of_slot(picture_sets_of(assignment), slot).places.all())
        cue = form.get("cue", "").strip()
        chosen = _read_places(form.getlist("chosen"), size=len(places))
        _check_other_cue(cue, slot=slot, assignment=assignment)
        concepts = [place.picture.concept for place in places]
        check_cue(cue, chosen=len(chosen), concepts=concepts, game=game_of(assignment.hit.batch.study))
        shown = [as_shown(place.picture) for place in places]
        pictures = [(one.sha256, one.caption) for one in shown]
        return Proposal(slot=slot, text=cue, pictures=pictures, chosen=chosen)

    def slots(self, assignment: Assignment) -> Sequence[int]:
        """Numbers of the words that this assignment asks for."""
        return slots_of(assignment)

    def possible_bonus(self, *, assignment: Assignment, fool: int) -> Decimal | None:
        """Bonus if people solve the word; None where the batch has no bonus table and so promises nothing."""
        found = {domain.FOOL: Fraction(fool, 100), domain.SOLVABLE: Fraction(1)}
        batch = assignment.hit.batch
        if not batch.rules:
            return None
        earned = evaluate(batch.rules, work=Work(items=[found], reward=batch.reward))
        return sum((each.amount for each in earned), Decimal(0))

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """The answer is what was stored when the rival was asked; the form adds nothing to it."""
        asked = {
            rival_query.slot: rival_query for rival_query in RivalQuery.objects.filter(assignment=assignment)
        }
        if missing := [slot for slot in self.slots(assignment) if slot not in asked]:
            words = _("Word %(number)s was not put to the model yet. Test it, then submit.")
            raise InvalidAnswer(words % {"number": missing[0]})
        return {"cues": [str(asked[slot].public_id) for slot in sorted(asked)]}

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        """Raises InvalidAnswer unless the answer names words that the server stored for these pictures."""
        cues = answer.get("cues") if isinstance(answer, Mapping) else None
        if not isinstance(cues, list) or not cues or len(cues) > self.most_cues:
            raise InvalidAnswer(_("There is no word in this answer."))
        known = RivalQuery.objects.filter(assignment__leases__item__in=items).distinct()
        if not {str(cue) for cue in cues} <= {str(rival_query.public_id) for rival_query in known}:
            raise InvalidAnswer(_("One of the words was never put to the model."))
        return {"cues": [str(cue) for cue in cues]}

    def recover_answer(self, *, answer: Any, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Raises InvalidAnswer for another worker's words: a picture set may be given to several workers."""
        read = self.check_answer(answer=answer, items=items)
        own = RivalQuery.objects.filter(assignment=assignment).values_list("public_id", flat=True)
        if not set(read["cues"]) <= {str(rival_query) for rival_query in own}:
            raise InvalidAnswer(_("One of the words was never put to the model."))
        return read

    def flat_columns(self, *, batch: Batch) -> Sequence[Column]:
        return FLAT

    def flatten(self, works: Sequence[ServedWork]) -> Mapping[int, Sequence[MadeWord]]:
        return words_made([work.assignment.pk for work in works])

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """Scores of the associations that are final; `services.association_creation` credits the rest."""
        cues = [UUID(cue) for cue in answer.get("cues", ())]
        made = Association.objects.filter(item__rival_query__public_id__in=cues).select_related(
            "item__rival_query"
        )
        return [
            Score(item=association.item, measure=measure, value=value)
            for association in made.order_by("pk")
            if association.final_at
            for measure, value in scores_as_author(association).items()
        ]


def slots_of(assignment: Assignment) -> tuple[int, ...]:
    """Players invent one cue in a turn: two would need six solves of others, and items would starve."""
    return SLOTS[:1] if assignment.account.can.are_players else SLOTS


def _bonuses(rules: Iterable[BonusRule], *, currency: str) -> list[Mapping[str, Any]]:
    """What a word earns by how much it fools the model, by each rule of that kind, for the page to say."""
    return [
        {
            "least": in_money(min(tier.amount for tier in rule.tiers), currency),
            "most": in_money(max(tier.amount for tier in rule.tiers), currency),
            "start": min(tier.start for tier in rule.tiers),
            "solved": rule.when.at_least if rule.when and rule.when.measure == domain.SOLVABLE else None,
        }
        for rule in rules
        if isinstance(rule, Tiers) and rule.measure == domain.FOOL
    ]


def _page(
    pictures: Sequence[Mapping[str, Any]],
    *,
    slots: Sequence[Mapping[str, Any]],
    reports: Sequence[Mapping[str, str]] = (),
    bonuses: Sequence[Mapping[str, Any]] = (),
) -> TaskPage:
    context = {
        "bonuses": bonuses,
        "reports": reports,
        "pictures": pictures,
        "slots": slots,
        "fewest": domain.FEWEST_CHOSEN,
        "most": domain.MOST_CHOSEN.get(len(pictures), domain.FEWEST_CHOSEN),
    }
    return TaskPage(template="winogavil/create.html", context=context)


def _places(items: Sequence[Item]) -> list[PictureSetPlace]:
    picture_sets = PictureSet.objects.filter(item__in=items)
    return list(
        PictureSetPlace.objects.filter(picture_set__in=picture_sets)
        .select_related("picture")
        .order_by("position")
    )


def _answers_to(items: Sequence[Item]) -> dict[int, int]:
    """Number of workers who have submitted an answer to each item; what they answered is no part of it."""
    answers = Lease.objects.filter(item__in=items, status=Lease.Status.ANSWERED).order_by()
    return dict(answers.values_list("item").annotate(n=Count("pk")))


def _reviewed(
    rival_query: RivalQuery,
    *,
    rules: Iterable[BonusRule],
    currency: str,
    places: Iterable[PictureSetPlace],
    answered: int,
) -> dict[str, Any]:
    verdict = rival_query.verdict
    predicted = verdict.places if verdict else []
    association = getattr(rival_query.item, "association", None)
    mean = association.solvers_mean if association else None
    scored = {domain.SOLVABLE: Fraction(1) if mean is None else mean}
    if verdict:
        scored[domain.FOOL] = Fraction(verdict.fool_score, 100)
    return {
        "rival_query": rival_query,
        "verdict": verdict,
        "association": association,
        "answered": min(answered, domain.SOLVERS_WANTED),
        "pays": pay_of_item(rules, scored) if verdict else None,
        "currency": currency,
        "solved": "" if mean is None else percentage(mean),
        "pictures": [
            {
                "url": f"/pictures/{place.picture.key}/480/",
                "concept": place.picture.concept,
                "chosen": number in rival_query.chosen,
                "predicted": number in predicted,
            }
            for number, place in enumerate(places)
        ],
    }


def _read_places(values: Sequence[str], *, size: int) -> list[int]:
    """Raises InvalidAnswer for places that are not on the page: nobody, model or person, could find them."""
    shown = {str(place): place for place in range(size)}
    if not set(values) <= shown.keys():
        raise InvalidAnswer(_("A picture was chosen that is not on this page. Please reload it."))
    return sorted({shown[value] for value in values})


def _check_other_cue(cue: str, *, slot: int, assignment: Assignment) -> None:
    others = WORDS_ASKED.rows(assignment=assignment.pk)
    if any(text.casefold() == cue.casefold() for other, text in others if other != slot):
        raise InvalidAnswer(_("You have used this word for other pictures here. Find a different one."))
