"""Creation of associations as simulated people do it, with a simulated model and the solving that follows."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.http import QueryDict

from crowd.frame.frame_verdicts import store_proposal
from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.winogavil import domain
from crowd.winogavil.models import Association, Game, PictureSet, PictureSetPlace
from crowd.winogavil.queries import selected, threshold_of
from crowd.winogavil.rehearsed_game import RehearsedGame
from crowd.winogavil.rehearsed_words import Fate, draw_fate, draw_found, record_fates, right_of
from crowd.winogavil.services import association_creation, association_verdicts, solve_places, withdrawal
from crowd.winogavil.spymaster_task import CreateTask
from hits.batches.services.launching import launch_batch
from hits.batches.services.top_up import GROWING
from hits.core.errors import RuleBroken
from hits.families import Answer
from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.queries.items import answers_wanted, items_of_batch
from scoring.models import PendingQuery, RivalQuery, Verdict
from scoring.services.verdict_making import make_verdict, store_verdicts

SIMULATED = "simulated"
HANDED_IN = (Assignment.Status.SAVED, *Assignment.COUNTING)
# Words are numbers in letters that form no word of any language.
LETTERS = str.maketrans("0123456789", "bcdfghjkmp")


class RehearsedCreation(RehearsedGame):
    def __init__(self, *, assumed: Assumptions, recorded: Mapping[str, Any]) -> None:
        super().__init__(assumed=assumed, recorded=recorded)
        self._fates: dict[str, Fate] = {}
        self._numbers = count(1000)
        self._solving: Batch | None = None
        self._is_drafted = False
        self._by: User | None = None
        self._problem = ""

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        return {**super().record(study), **record_fates(study)}

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        yield from super().rows(items)
        sets = PictureSet.objects.filter(item__in=items, item__task=domain.CREATE)
        yield sets
        yield PictureSetPlace.objects.filter(picture_set__in=sets)

    @property
    def sources(self) -> Sequence[str]:
        return [
            *self._told_of_words(),
            "The model is not asked: its verdicts are simulated, and stored as its own would be.",
            *self._told_of_solving(),
            *super().sources,
        ]

    def answer(
        self,
        *,
        assignment: Assignment,
        items: Sequence[Item],
        person: SimulatedPerson,
        chance: Random,
        now: datetime,
    ) -> Answer:
        if assignment.hit.batch.task != domain.CREATE:
            return super().answer(assignment=assignment, items=items, person=person, chance=chance, now=now)
        task = CreateTask()
        size = PictureSetPlace.objects.filter(picture_set__item=items[0]).count()
        for slot in task.slots(assignment):
            form = self._invent(slot, size=size, person=person, chance=chance)
            store_proposal(form, assignment=assignment, now=now)
        return task.read_answer(form=QueryDict(), assignment=assignment, items=items)

    def follow_up(self, batch: Batch) -> Batch | None:
        """The batch that the game's settings name, or the study's newest draft of solving its pool."""
        game = Game.objects.filter(study=batch.study, solve_batch__status__in=GROWING).first()
        if game:
            return game.solve_batch
        drafts = Batch.objects.filter(study=batch.study, task=domain.SOLVE, status=Batch.Status.DRAFT)
        return drafts.filter(items_from=Batch.ItemsFrom.POOL).order_by("pk").last()

    def begin(self, *, batch: Batch, by: User) -> None:
        self._by, self._problem, self._solving = by, "", self.follow_up(batch)
        if self._solving is None:
            return
        self._is_drafted = self._solving.status == Batch.Status.DRAFT
        if not self._is_drafted:
            Batch.objects.filter(pk=self._solving.pk).update(launched_by=by)
            Game.objects.filter(solve_batch=self._solving).update(grows=True)

    def sweep(self, *, now: datetime) -> None:
        association_creation.make_associations(now=now)
        withdrawal.pull_disowned(now=now)
        association_verdicts.ask_rivals(now=now)
        self._answer_rivals(now=now)
        association_verdicts.read_verdicts()
        super().sweep(now=now)
        association_creation.credit_authors(now=now)
        self._have_solved(now=now)

    def unfinished(self, batch: Batch) -> QuerySet[Item]:
        """Sets that lack words, and words that are not solved yet, or whose author has no scores for them."""
        leases = Lease.objects.filter(item=OuterRef("pk"))
        is_begun = Exists(leases.filter(status=Lease.Status.LEASED))
        unmade = RivalQuery.objects.filter(item=None, assignment__status__in=HANDED_IN).values("assignment")
        is_unmade = Exists(leases.filter(assignment__in=unmade))
        sets = items_of_batch(batch).filter(Q(wanted__gt=0) | is_begun | is_unmade, pulled_at=None)
        words = Item.objects.filter(
            rival_query__assignment__hit__batch=batch, association__told_at=None, pulled_at=None
        )
        return Item.objects.filter(Q(pk__in=sets.values("pk")) | Q(pk__in=words.values("pk"))).order_by("pk")

    def figures(self, batch: Batch) -> Mapping[str, int]:
        words = Association.objects.filter(item__rival_query__assignment__hit__batch=batch)
        chosen = selected(words, threshold=threshold_of(batch.study))
        return {"Words that were invented": words.count(), "Words that are selected": chosen.count()}

    def lack_of(self, item: Item) -> str:
        if item.task != domain.SOLVE:
            return ""
        if self._solving is None:
            return "no batch of this study solves it"
        problems = Game.objects.filter(study=item.study_id).values_list("problem", flat=True)
        problem = self._problem or problems.first()
        return f"no place to solve it: {problem}" if problem and item.wanted else ""

    def _have_solved(self, *, now: datetime) -> None:
        """Launch the draft that solves once there are words, and let it grow with the answers needed."""
        if self._solving is None:
            return
        self._solving.refresh_from_db()
        if self._solving.status == Batch.Status.DRAFT and answers_wanted(self._solving):
            self._launch(self._solving, now=now)
        solve_places.grow_solving(now=now)

    def _launch(self, draft: Batch, *, now: datetime) -> None:
        try:
            launch_batch(batch=draft, by=self._by, now=now, confirmed=True)
        except RuleBroken as refusal:
            self._problem = str(refusal)
        else:
            self._problem = ""
            Game.objects.update_or_create(study=draft.study, defaults={"solve_batch": draft, "grows": True})

    def _told_of_solving(self) -> Sequence[str]:
        if self._solving is None:
            return ["No batch of this study solves its words: draft one, and rehearse again."]
        begins = "is launched with the first word" if self._is_drafted else "is launched already"
        return [
            f"Words are solved in “{self._solving.title}”, which {begins} and grows with the answers needed.",
            "A worker who finds HITs of both kinds chooses one of them by chance.",
        ]

    def _told_of_words(self) -> Sequence[str]:
        if fates := self.recorded.get("fates"):
            words = sum(one["times"] for one in fates)
            return [f"New words fare as {words} recorded words of this study did, with the model and people."]
        return [
            f"Nothing is recorded: the model misses {self.assumed.fools} of 100 pictures chosen for a word.",
            f"People understand {self.assumed.understood} of 100 words, and solve the others by chance.",
            "Words are for 2 pictures up to the most that a set allows, each number as often as the others.",
        ]

    def _invent(self, slot: int, *, size: int, person: SimulatedPerson, chance: Random) -> QueryDict:
        """Fill in the page's form for one word, and remember what is to become of it."""
        recorded = self.recorded.get("fates", ())
        fate = draw_fate(recorded, size=size, assumed=self.assumed, person=person, chance=chance)
        cue = str(next(self._numbers)).translate(LETTERS)
        self._fates[cue] = fate
        form = QueryDict(mutable=True)
        form.update({"slot": str(slot), "cue": cue})
        form.setlist("chosen", [str(place) for place in chance.sample(range(size), fate.chosen)])
        return form

    def _found(self, item: Item, k: int, person: SimulatedPerson, chance: Random) -> int:
        fate = self._fates.get(_cue_of(item))
        if fate is None:
            return super()._found(item, k, person, chance)
        if fate.solved:
            numerator, denominator = chance.choice(fate.solved)
            return right_of(k, numerator=numerator, denominator=denominator)
        if fate.is_understood:
            return sum(chance.random() < person.skill for _ in range(k))
        size = sum(len(pictures) for pictures in self._puzzles[item.public_id])
        return sum(place < k for place in chance.sample(range(size), k))

    def _answer_rivals(self, *, now: datetime) -> None:
        """Store a verdict for each query that waits, as the sweep of the models does."""
        waiting = list(PendingQuery.objects.select_related("rival_query", "rival").order_by("pk"))
        store_verdicts(waiting, [self._verdict(one, now=now) for one in waiting])

    def _verdict(self, asking: PendingQuery, *, now: datetime) -> Verdict:
        query = asking.rival_query
        found = self._found_by_model(query)
        others = [place for place in range(query.size) if place not in query.chosen]
        picked = {*query.chosen[:found], *others[: query.k - found]}
        return make_verdict(
            query,
            asking.rival,
            model=SIMULATED,
            weights_sha256="",
            preprocessing={},
            device=SIMULATED,
            prompt=query.text,
            scores=[float(place in picked) for place in range(query.size)],
            waited=timedelta(0),
            now=now,
        )

    def _found_by_model(self, query: RivalQuery) -> int:
        if fate := self._fates.get(query.text):
            return fate.found_by_model
        # A word that the study had already and that no rival was asked about.
        chance = Random(query.text)  # noqa: S311 - a rehearsal's chance is no secret
        return draw_found(query.k, size=query.size, fools=self.assumed.fools, chance=chance)


def _cue_of(item: Item) -> str:
    query: RivalQuery | None = getattr(item, "rival_query", None)
    return query.text if query else ""
