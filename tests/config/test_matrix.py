"""Every role at every address of the researchers' site: only members read anything of a study.

The addresses come from the URL list, so that a new page is covered by itself. The texts of a study's rows
are marked; an outsider's pages may hold no mark, and no page may end in a server error.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.db import DatabaseError, models, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from crowd.whoops.models import Category, Project
from hits.identity.models.users import User
from hits.identity.roles import ROLES
from hits.providers.gateway import registry
from hits.studies.models import Batch, Study
from tests import admin_pages
from tests.factories import make_user
from tests.stubbed import StubbedTurk

pytestmark = [pytest.mark.django_db, pytest.mark.pure]
MARK = "zzmarked"
# Texts that people write, on which no code depends.
WORDS = {
    *("answer", "caption", "cue", "description", "explanation", "guidelines", "keywords", "lab", "message"),
    *("name", "note", "problem", "reason", "subject", "text", "title", "why", "word", "words"),
}
DEPTH = 4
VERBS = ("change", "delete", "history")
# Events are signed by their sender, not by a user.
WITHOUT_SIGNING_IN = ("/admin/login/", "/health/", "/api/events/")


def test_no_role_reads_of_a_study_what_is_not_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    fill_and_mark(monkeypatch)
    asked = addresses()  # before any statistics are cached
    cells: Counter[str] = Counter()
    leaks, errors = [], []
    for role in ROLES:
        client = Client(raise_request_exception=False)
        client.force_login(outsider(role))
        sees_all = User.objects.get(username=role).has_perm("hits.see_all_studies")
        for address in asked:
            answer = client.get(address)
            is_marked = MARK in body(answer)
            cells[f"{answer.status_code // 100}xx"] += 1
            if answer.status_code >= 500:
                errors.append((role, address))
            if is_marked and not sees_all:
                leaks.append((role, address))

    assert (errors, leaks) == ([], [])
    assert cells["2xx"] > 200
    assert cells["4xx"] > 500


def test_the_marks_are_seen_by_who_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would find nothing if there were nothing to find."""
    fill_and_mark(monkeypatch)
    client = Client(raise_request_exception=False)
    client.force_login(make_user(is_superuser=True))

    answers = {address: client.get(address) for address in addresses()}

    assert [address for address, answer in answers.items() if answer.status_code >= 500] == []
    assert sum(MARK in body(answer) for answer in answers.values()) > 60


def test_nobody_gets_in_without_signing_in(monkeypatch: pytest.MonkeyPatch) -> None:
    fill_and_mark(monkeypatch)
    client = Client(raise_request_exception=False)

    opened = {address for address in addresses() if client.get(address).status_code not in (302, 401, 404)}

    assert [address for address in opened if not address.startswith(WITHOUT_SIGNING_IN)] == []


def fill_and_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    stubbed = StubbedTurk()
    monkeypatch.setattr(registry, "_boto_provider", lambda **_: stubbed.provider)
    admin_pages.fill(hits=8, batches=2, now=timezone.now())
    project, _ = Project.objects.get_or_create(study=Study.objects.order_by("pk")[0])
    Category.objects.create(project=project, name="Of this study alone")
    for model in apps.get_models():
        if model is Study or any(leads_to_study(model)):
            mark(model)


def outsider(role: str) -> User:
    user = make_user(username=role)
    user.groups.add(Group.objects.get(name=role))
    return user


def leads_to_study(model: type[models.Model], depth: int = DEPTH) -> Iterator[bool]:
    for field in model._meta.concrete_fields:
        target: Any = field.related_model
        if target is Study:
            yield True
        elif depth and isinstance(field, models.ForeignKey) and target is not User:
            yield from leads_to_study(target, depth - 1)


def mark(model: type[models.Model]) -> None:
    for field in model._meta.concrete_fields:
        is_text = isinstance(field, models.CharField | models.TextField) and type(
            field
        ).__module__.startswith("django.")
        if field.name not in WORDS or not is_text or field.choices:
            continue
        marked = f"{MARK} {model._meta.model_name}"[: field.max_length]
        for row in rows_of_studies(model).values_list("pk", flat=True):
            try:
                with transaction.atomic():
                    model._default_manager.filter(pk=row).update(**{field.name: marked + f" {row}"})
            except DatabaseError:
                break  # append-only, or a rule of the column


def rows_of_studies(model: type[models.Model]) -> models.QuerySet[Any]:
    """The rows without those that all studies share: everyone who may see the list reads these."""
    rows = model._default_manager.all()
    return rows.exclude(project=None) if model is Category else rows


def addresses() -> list[str]:
    """Addresses that are known to show rows, and every pattern of the URL list with existing rows."""
    known = [address for _, address in admin_pages.pages()]
    batch, study = Batch.objects.order_by("pk")[0], Study.objects.order_by("pk")[0]
    given = ((str(batch.pk), str(batch.public_id)), (str(study.pk), str(study.public_id)))
    made = {address for number, key in given for address in patterns(get_resolver(), number, key)}
    own = Category.objects.exclude(project=None).values_list("pk", flat=True)
    pages = {reverse(f"admin:whoops_category_{verb}", args=[pk]) for pk in own for verb in VERBS}
    return sorted({*known, *made, *pages} - {reverse("admin:logout")})


def patterns(resolver: URLResolver, number: str, key: str, before: str = "/") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern, number, key, before + route)
        elif isinstance(pattern, URLPattern) and (address := filled(before + route, number, key)):
            yield address


def filled(route: str, number: str, key: str) -> str:
    """Fill the route's parameters; an empty text for routes by regular expression, which are Django's own."""
    if any(sign in route for sign in "^$(\\") or not route.startswith(("/admin/", "/api/", "/health/")):
        return ""
    parts = []
    for part in route.split("/"):
        kind = part.strip("<>").partition(":")[0] if part.startswith("<") else ""
        parts.append({"": part, "int": number, "path": number, "uuid": key}.get(kind, "x"))
    return "/".join(parts)


def body(response: Any) -> str:
    content = response.getvalue()
    if file := getattr(response, "file_to_stream", None):
        file.close()
    return str(content.decode(errors="replace"))
