"""The REST API: who gets in, and what all lists and bodies have in common."""

from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from hits.api.throttling import ByToken
from hits.identity.api_tokens import Scope, make_token, revoke_token
from hits.identity.models.api_tokens import ApiToken
from hits.studies.models import Study
from tests.caches import AWAY
from tests.factories import (
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.hits.calling import Notebook, expire, notebook

pytestmark = pytest.mark.django_db
LISTS = {
    "studies": "view_study",
    "accounts": "view_account",
    "batches": "view_batch",
    "hits": "view_hit",
    "assignments": "view_assignment",
    "workers": "view_worker",
    "messages": "view_message",
    "bonuses": "view_bonus",
    "ledger": "view_ledgerentry",
}


def test_secret_is_nowhere_in_the_database() -> None:
    token, secret = make_token(user=make_user(), name="notebook", scopes=["read"], now=timezone.now())

    assert secret.startswith("crowd_")
    assert len(secret) == 49
    assert secret not in str(ApiToken.objects.values().get(pk=token.pk))


def test_request_without_a_token_is_told_what_to_send(client: Client) -> None:
    answer = client.get("/api/batches/")

    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    "header",
    [
        "Bearer crowd_wrong",
        "Bearer",
        "Bearer ",
        "Token abc",
        "Basic YTpi",
        "Bearer é",
        f"Bearer {'x' * 1000}",
    ],
)
def test_request_with_another_header_is_refused(client: Client, header: str) -> None:
    assert client.get("/api/batches/", headers={"authorization": header}).status_code == 401


def test_revoked_expired_and_ownerless_tokens_are_refused_in_words() -> None:
    revoked, expired, inactive = (notebook("view_batch") for _ in range(3))
    revoke_token(token=revoked.token, by=revoked.user, now=timezone.now())
    expire(expired)
    inactive.user.is_active = False
    inactive.user.save()

    answers = [held.get("batches/") for held in (revoked, expired, inactive)]

    assert [answer.status_code for answer in answers] == [401, 401, 401]
    words = [answer.json()["detail"] for answer in answers]
    assert ["revoked" in words[0], "expired" in words[1], "may not sign in" in words[2]] == [True] * 3


def test_use_is_written_down_at_most_once_a_minute() -> None:
    held = notebook("view_batch")
    held.get("batches/")
    first = ApiToken.objects.get().last_used_at

    held.get("batches/")

    assert first is not None
    assert ApiToken.objects.get().last_used_at == first


def test_token_without_the_scope_is_refused_though_its_owner_may() -> None:
    held = notebook("view_study", "add_study", scopes=[Scope.READ])

    read, made = held.get("studies/"), held.post("studies/", {"name": "new", "lab": "lab"})

    assert (read.status_code, made.status_code) == (200, 403)
    assert "scope “draft”" in made.json()["detail"]
    assert not Study.objects.exists()


@pytest.mark.parametrize(("path", "permission"), LISTS.items())
def test_lists_need_the_permission_of_the_owner(path: str, permission: str) -> None:
    may, may_not = notebook(permission), notebook()

    assert (may.get(f"{path}/").status_code, may_not.get(f"{path}/").status_code) == (200, 403)
    assert may_not.client.head(f"/api/{path}/", headers=may_not.headers()).status_code == 403


def test_session_of_the_admin_reads_and_writes_only_with_its_csrf_token(client: Client) -> None:
    user = make_user(is_superuser=True)
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)

    read = client.get("/api/studies/")
    wrote = client.post("/api/studies/", {"name": "new", "lab": "lab"}, content_type="application/json")

    assert (read.status_code, wrote.status_code) == (200, 403)
    assert not Study.objects.exists()


def fill(study: Study, rows: int) -> None:
    for _ in range(rows):
        account = make_account()
        source = make_batch(study=study, account=account, status="open")
        batch = make_batch(study=study, account=account, status="open", source_batch=source)
        batch.exclude_batches.add(source)
        make_bonus(assignment=make_assignment(hit=make_hit(batch=batch), status="approved"))


@pytest.mark.parametrize(("path", "permission"), LISTS.items())
def test_lists_ask_as_often_for_many_rows_as_for_few(path: str, permission: str) -> None:
    study = make_study()
    held = notebook(permission, sees=[study])
    held.get(f"{path}/")  # this use of the token is written down
    counts = []
    for rows in (3, 27):
        fill(study, rows)
        with CaptureQueriesContext(connection) as queries:
            assert held.get(f"{path}/").status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert counts[0] < 10


@pytest.mark.parametrize("path", ["studies", "batches", "hits", "assignments", "workers", "bonuses"])
def test_what_one_may_not_see_is_not_there(path: str) -> None:
    seen, hidden = make_study(), make_study()
    held = notebook(*LISTS.values(), sees=[seen])
    fill(hidden, 1)
    everything = Notebook(make_user(is_superuser=True))
    (there, *_) = everything.get(f"{path}/", **({"name": hidden.name} if path == "studies" else {})).json()[
        "results"
    ]

    rows = held.get(f"{path}/").json()["results"]
    one = held.get(f"{path}/{there['public_id']}/")

    assert [row["public_id"] for row in rows] == ([str(seen.public_id)] if path == "studies" else [])
    assert one.status_code == 404


def test_ids_of_workers_at_the_provider_are_in_no_answer() -> None:
    study = make_study()
    account = make_account()
    hit = make_hit(batch=make_batch(study=study, account=account, status="open"))
    worker = make_worker(account=account, external_id="APLANTEDWORKER")
    make_bonus(assignment=make_assignment(hit=hit, worker=worker, status="approved"))
    held = notebook(*LISTS.values(), sees=[study])

    answers = [held.get(f"{path}/") for path in LISTS]
    answers.append(held.get(f"workers/{worker.public_id}/"))

    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert ["APLANTED" in answer.content.decode() for answer in answers] == [False] * len(answers)


def test_secrets_of_an_account_are_in_no_answer() -> None:
    account = make_account(access_key_id="planted-1", secret_access_key="planted-2", ticket_key="planted-3")
    held = notebook("view_account")

    answers = [held.get("accounts/"), held.get(f"accounts/{account.public_id}/")]

    assert ["planted" in answer.content.decode() for answer in answers] == [False, False]


def test_pages_follow_one_another_while_rows_are_added() -> None:
    study = make_study()
    wanted = [str(make_batch(study=study).public_id) for _ in range(5)]
    held = notebook("view_batch", sees=[study])

    page = held.get("batches/", page_size=2).json()
    found = [row["public_id"] for row in page["results"]]
    wanted.append(str(make_batch(study=study).public_id))
    while page["next"]:
        page = held.get(f"batches/?{urlsplit(page['next']).query}").json()
        found += [row["public_id"] for row in page["results"]]

    assert found == wanted


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("cursor=cD1hYmM=", 404),
        ("cursor=%00", 404),
        ("cursor=é", 404),
        ("cursor=cD05OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5", 200),  # p=999…, beyond any number of a row
        ("page_size=0", 400),
        ("page_size=many", 400),
        ("page_size=501", 400),
        ("statsu=open", 400),
        ("status=open&status=draft", 400),
        ("status=opened", 400),
        ("status=%00", 400),
        ("task=%00", 400),
        (f"task={'x' * 5000}", 400),
        ("study=1", 400),
        ("study=", 400),
        ("status=open", 200),
    ],
)
def test_lists_refuse_in_words_what_they_do_not_understand(query: str, status: int) -> None:
    answer = notebook("view_batch").get(f"batches/?{query}")

    assert answer.status_code == status
    assert (status == 200) == ("results" in answer.json())


def test_parameters_are_refused_where_there_are_none() -> None:
    study = make_study()
    held = notebook("view_study", "change_study", sees=[study])

    read = held.get(f"studies/{study.public_id}/", name="x")
    changed = held.patch(f"studies/{study.public_id}/?nmae=x", {"lab": "other"})

    assert (read.status_code, changed.status_code) == (400, 400)
    assert Study.objects.get().lab == "lab"


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "a\\u0000b", "lab": "lab"}',
        '{"name": "n", "lab": "lab", "bonus_rules": [{"na\\u0000me": 1}]}',
        '{"name": "n", "lab": "lab", "bonus_rules": "\\ud800"}',
        '{"name": "n", "lab": "lab", "bonus_rules": NaN}',
        '{"name": "n", "lab": "lab", "bonus_rules": null}',
        '{"name": "n", "lab": "lab", "budget": "NaN"}',
        '{"name": "n", "lab": "lab", "budget": 1e999}',
        f'{{"name": "n", "lab": "lab", "budget": {"9" * 5000}}}',
        '{"name": "n", "lab": "lab", "rejections_a_day": 99999999999}',
        '{"name": ["n"], "lab": {}}',
        '{"name": "' + "n" * 1000 + '", "lab": "lab"}',
        "[" * 100_000,
        "[" * 30 + "]" * 30,
        "[]",
        "null",
        '"text"',
        "{",
        "",
        "\u00ff",
    ],
)
def test_bodies_that_cannot_be_kept_are_refused_and_nothing_is_made(body: str) -> None:
    held = notebook("add_study", "view_study")

    answer = held.client.post(
        "/api/studies/", body.encode("latin-1"), content_type="application/json", headers=held.headers()
    )

    assert answer.status_code == 400, answer.content
    assert not Study.objects.exists()


def test_body_that_is_too_large_is_refused_unread() -> None:
    held = notebook("add_study")
    body = '{"name": "' + "n" * 11_000_000 + '"}'

    answer = held.client.post("/api/studies/", body, content_type="application/json", headers=held.headers())

    assert answer.status_code == 413


@pytest.mark.parametrize("method", ["put", "options", "trace"])
def test_methods_that_are_not_there_are_refused(method: str) -> None:
    study = make_study()
    held = notebook("view_study", "change_study", sees=[study])

    answer = held.client.generic(method.upper(), f"/api/studies/{study.public_id}/", headers=held.headers())

    assert answer.status_code == 405


def test_too_many_requests_of_one_token_wait_and_those_of_another_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hits.common.rates.time", lambda: 1000.0)  # the window does not end in between
    busy, other = notebook("view_study"), notebook("view_study")

    with patch.object(ByToken, "rate", "3/min", create=True):
        answers = [busy.get("studies/").status_code for _ in range(4)]
        refused = busy.get("studies/")

        assert (answers, other.get("studies/").status_code) == ([200, 200, 200, 429], 200)
    assert 0 < int(refused["Retry-After"]) <= 60


def test_cache_that_is_away_stops_nobody(settings: LazySettings) -> None:
    settings.CACHES = AWAY

    assert notebook("view_study").get("studies/").status_code == 200


def test_me_says_what_the_token_can_do() -> None:
    held = notebook("view_study", scopes=[Scope.READ])

    told = held.get("me/").json()

    assert (told["username"], told["scopes"], told["permissions"]) == (
        held.user.username,
        ["read"],
        ["hits.view_study"],
    )


def test_study_is_made_once_for_a_key_and_its_maker_sees_it() -> None:
    held = notebook("add_study", "view_study")
    body = {"name": "new", "lab": "lab", "budget": "12.50"}

    first = held.post("studies/", body, **{"Idempotency-Key": "one"})
    again = held.post("studies/", body, **{"Idempotency-Key": "one"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert (first.json()["budget_left"], first.json()["members"]) == ("12.50", [held.user.username])
    assert Study.objects.count() == 1


def test_study_of_a_name_that_is_taken_is_refused() -> None:
    make_study(name="taken")

    answer = notebook("add_study", "view_study").post("studies/", {"name": "taken", "lab": "lab"})

    assert answer.status_code == 400
    assert Study.objects.count() == 1


def test_change_of_a_study_leaves_its_money_alone() -> None:
    """An amount reserved while the request was on its way is still reserved."""
    study = make_study()
    colleague = make_user()
    held = notebook("view_study", "change_study", sees=[study])
    real = Study.save

    def save(row: Study, **kwargs: Any) -> None:
        Study.objects.update(reserved=7)
        real(row, **kwargs)

    with patch.object(Study, "save", save):
        answer = held.patch(
            f"studies/{study.public_id}/",
            {"lab": "other", "reserved": "99", "members": [held.user.username, colleague.username]},
        )

    assert (answer.status_code, answer.json()["lab"]) == (200, "other")
    assert answer.json()["members"] == sorted([held.user.username, colleague.username])
    assert Study.objects.get().reserved == 7


def test_members_who_are_not_here_are_named() -> None:
    study = make_study()
    held = notebook("view_study", "change_study", sees=[study])

    answer = held.patch(f"studies/{study.public_id}/", {"lab": "other", "members": ["nobody-of-that-name"]})

    assert answer.status_code == 400
    assert "nobody-of-that-name" in str(answer.json())
    assert Study.objects.get().lab == "lab"
