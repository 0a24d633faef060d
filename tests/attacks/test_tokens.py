"""The API under every token: roles, scopes, studies, and invalid tokens."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import models
from django.test import Client
from django.utils import timezone

from crowd.releases.models import Release
from crowd.whoops.models import Category, Project
from crowd.winoground.api.projects import ResultsForKeepers
from crowd.winoground.queries.examples import sees_own_only
from hits.batches.models import BatchEvent
from hits.identity.api_tokens import Scope
from hits.identity.models.blocks import Block
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.identity.roles import ROLES
from hits.ledger.models.bonuses import Bonus
from hits.people.models import Message
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study
from hits.work.access import visible
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note
from hits.work.models.hits import HIT, Change
from tests import admin_pages
from tests.attacks.doors import Call, ask, calls
from tests.attacks.rows import make_row
from tests.factories import make_study, make_user
from tests.hits.calling import Notebook, expire
from tests.people import make_member, make_permitted

pytestmark = [pytest.mark.django_db, pytest.mark.pure]
MODELS: Mapping[str, type[models.Model]] = {
    "studies": Study,
    "accounts": Account,
    "batches": Batch,
    "hits": HIT,
    "assignments": Assignment,
    "workers": Worker,
    "messages": Message,
    "bonuses": Bonus,
    "releases": Release,
}
WRITTEN = (Batch, BatchEvent, Block, Change, Decision, Message, Note, Study)
CALLS = calls()
# The schema and its page are written again for each request, and are open to every token.
OFTEN = [call for call in CALLS if call.action]
SPOILED = (
    *("none", "empty", "unknown", "cut", "longer", "another scheme", "two"),
    *("revoked", "expired", "removed"),
)
# These belong to no study: a user who may see them sees all of them. The pool's pictures serve every study,
# and all studies share one list of tags for what is swapped between captions.
OF_NO_STUDY = ("accounts", "rivals", "association-lists", "pictures", "winoground/tags")

# These tell of the one study that the call names.
OF_A_NAMED_STUDY = ("statistics", "paper-figures", "people-counts")


@pytest.fixture
def study() -> Study:
    """A study with rows of every kind."""
    admin_pages.fill(hits=4, batches=2, now=timezone.now())
    study = Study.objects.order_by("pk")[0]
    make_row(Release)
    Release.objects.update(study=study, family="winogavil")
    return study


@pytest.fixture(autouse=True)
def _no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hits.api.throttling.ByToken.allow_request", lambda *_: True)


def ids_of(user: User) -> dict[str, Any]:
    """The id of one row of each kind that this user may see."""
    return {name: _first(model, user) for name, model in MODELS.items()}


def _first(model: type[models.Model], user: User) -> Any:
    rows = model._default_manager.order_by("pk")
    if model not in (Account, Message, Release):
        rows = visible(rows, user)
    return rows.values_list("public_id", flat=True)[0]


def may(user: User, call: Call) -> bool:
    # Authors see their own examples alone, so no results, which show examples of other people.
    if issubclass(call.view, ResultsForKeepers) and sees_own_only(user):
        return False
    return call.need is None or all(user.has_perm(name) for name in call.need.permissions)


def send(book: Notebook, call: Call, ids: Mapping[str, Any], **body: Any) -> int:
    answer: Any = ask(Client(), call, ids.get(call.resource, "x"), secret=book.secret, body=body)
    return int(answer.status_code)


def test_roles_are_let_in_where_their_permissions_say_and_nowhere_else(study: Study) -> None:
    Group.objects.create(name="nobody")
    ids = ids_of(make_permitted(studies=[study]))
    wrong, broken = [], []

    for role in (*ROLES, "nobody"):
        book = Notebook(make_member(role, study))
        for call in OFTEN:
            status = send(book, call, ids)
            if (status != 403) != may(book.user, call):
                wrong.append((role, str(call), status))
            has_row = call.resource in MODELS and call.action != "download"  # there is no file
            if status in (401, 405, 500) or (status == 404 and has_row):
                broken.append((role, str(call), status))

    assert (wrong, broken) == ([], [])


def test_tokens_do_what_their_scopes_say_and_nothing_else(study: Study) -> None:
    user = make_permitted(studies=[study], is_superuser=True)
    ids = ids_of(user)

    for scope in (*Scope.values, ""):
        book = Notebook(user, scopes=[scope] if scope else [])
        let_in = {str(call) for call in OFTEN if send(book, call, ids) != 403}
        assert let_in == {str(call) for call in OFTEN if call.need is None or call.need.scope == scope}


def test_what_changes_something_needs_more_than_the_right_to_look() -> None:
    """Each such call needs a scope and a permission that allow more than reading, whatever its view does."""
    needs = {call: call.need for call in CALLS if call.need}
    looking = {call: any(".view_" in name for name in need.permissions) for call, need in needs.items()}
    changing = [call for call in needs if not call.is_safe]

    assert [str(c) for c in changing if needs[c].scope == Scope.READ] == []
    assert [str(c) for c in changing if all(".view_" in name for name in needs[c].permissions)] == []
    assert [str(c) for c in needs if c.is_safe and not looking[c] and needs[c].scope != Scope.EXPORT] == []
    assert {str(c) for c in CALLS if not c.need} == {"get /api/schema/", "get /api/docs/", "get /api/me/"}


def test_tokens_that_are_none_open_nothing(study: Study) -> None:
    opened = []

    for kind in SPOILED:
        book = Notebook(make_permitted(studies=[study], is_superuser=True))
        ids, secret = ids_of(book.user), spoil(book, kind)
        for call in CALLS:
            answer = ask(stranger(), call, ids.get(call.resource, "x"), secret=secret)
            if answer.status_code not in (401, 302):
                opened.append((kind, str(call), answer.status_code))

    assert opened == []


def stranger() -> Client:
    """A client with an address of its own: attempts are limited by address, which is tested elsewhere."""
    return Client(REMOTE_ADDR=f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1")


def spoil(book: Notebook, kind: str) -> str:
    if kind == "expired":
        expire(book)
    elif kind == "revoked":
        book.token.revoked_at = timezone.now()
        book.token.save()
    elif kind == "removed":
        User.objects.filter(pk=book.user.pk).update(is_active=False)
    sent = {
        "none": "",
        "empty": "Bearer ",
        "unknown": "crowd_" + "x" * 43,
        "cut": book.secret[:-1],
        "longer": book.secret + "x",
        "another scheme": f"Basic {book.secret}",
        "two": f"Bearer {book.secret} {book.secret}",
    }
    return sent.get(kind, book.secret)


def test_member_of_one_study_reaches_no_row_of_another(study: Study) -> None:
    """The member has all permissions but that to see all studies, and also names ids in bodies."""
    ids = ids_of(make_permitted(studies=[study]))
    book = Notebook(make_outsider())
    before = [model._default_manager.count() for model in WRITTEN]

    of_rows = [call for call in CALLS if call.of_a_row and call.resource not in OF_NO_STUDY]
    found = {str(call): status for call in of_rows if (status := send(book, call, ids)) != 404}
    named = {str(call): send(book, call, ids, **naming(ids)) for call in CALLS if names_rows(call)}

    assert (len(of_rows) > 30, found) == (True, {})
    assert (len(named), set(named.values())) == (4, {400})
    assert [model._default_manager.count() for model in WRITTEN] == before


def test_lists_hold_rows_of_ones_own_study_alone(study: Study) -> None:
    book = Notebook(make_outsider())
    Category.objects.create(project=Project.objects.get_or_create(study=study)[0], name="Of this study alone")
    shared = Category.objects.filter(project=None).count()

    told = {
        call.resource: len(results_of(book, call))
        for call in CALLS
        if call.action == "list" and call.need and call.resource not in OF_A_NAMED_STUDY
    }

    assert told.keys() >= MODELS.keys()
    # Facts that the token's user knows about the own study: that it exists, that it has a budget, and the
    # rules of its game, which every study has. Also the categories that all studies share.
    of_own = {"studies": 1, "ledger": 1, "association-games": 1, "whoops/categories": shared}
    assert shared > 0
    assert {name: count for name, count in told.items() if name not in OF_NO_STUDY} == {
        **dict.fromkeys(told.keys() - set(OF_NO_STUDY), 0),
        **of_own,
    }


def make_outsider() -> User:
    user = make_user()
    user.user_permissions.set(Permission.objects.exclude(codename="see_all_studies"))
    user.studies.add(make_study())
    return user


def results_of(book: Notebook, call: Call) -> list[Any]:
    answer = ask(Client(), call, secret=book.secret)
    assert answer.status_code == 200
    return list(answer.json()["results"])


def names_rows(call: Call) -> bool:
    """Whether the call names rows in its body, and not in its address."""
    return call.method == "post" and not call.of_a_row and call.resource in ("hits", "batches")


def naming(ids: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "hits": [str(ids["hits"])],
        "seconds": 3600,
        "places": 1,
        "study": str(ids["studies"]),
        "account": str(ids["accounts"]),
        "task": "winogavil.solve",
    }
