"""Releases of any family in the admin and by the API: offered, made, watched, published, deleted."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.releases.models import Release
from crowd.releases.services import release_states
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import OPERATOR, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from tests.crowd.releases.studies import CLOSED, OPEN, STUDIES, make_of, release_of
from tests.factories import make_study
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


def make_page(study: Any, family: str) -> str:
    return reverse("admin:releases_make", args=[study.pk, family])


@pytest.mark.parametrize("family", list(STUDIES))
def test_a_release_is_made_from_the_page(client: Client, family: str) -> None:
    study = make_of(family)
    sign_in(client, RESEARCHER, study)
    offered = text_of(client.get(reverse("admin:releases_choose")))
    form = client.get(make_page(study, family)).context["form"]
    first = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    sent = {name: value for name, value in first.items() if value not in (None, False)}

    made = client.post(make_page(study, family), {**sent, "version": "1.0", "split_seed": "5"})

    assert make_page(study, family) in offered
    release = Release.objects.get()
    assert made.headers["Location"] == reverse("admin:releases_release_change", args=[release.pk])
    assert (release.family, release.split_seed, release.status) == (family, 5, "freezing")
    assert "Reading the rows" in text_of(client.get(made.headers["Location"]))
    for _ in range(5):
        release_states.write_releases(clock=lambda: release.made_at)
    assert "everything.zip" in text_of(client.get(made.headers["Location"]))


def test_known_licenses_are_ticked_and_the_others_not(client: Client) -> None:
    study = make_of("winoground")
    sign_in(client, RESEARCHER, study)

    form = client.get(make_page(study, "winoground")).context["form"]

    field = form.fields["picture_licences"]
    assert [value for value, _ in field.choices] == [CLOSED, OPEN]
    assert field.initial == [OPEN]


def test_hiding_labels_needs_a_seed(client: Client) -> None:
    study = make_of("winoventi")
    sign_in(client, RESEARCHER, study)

    page = client.post(
        make_page(study, "winoventi"), {"title": "T", "version": "1", "licence": "CC0", "hides_test": "on"}
    )

    assert "without splits there is no test split" in text_of(page)
    assert not Release.objects.exists()


def test_a_study_without_anything_is_told_so(client: Client) -> None:
    study = make_study(name="Empty")
    sign_in(client, RESEARCHER, study)

    assert "nothing to release yet" in text_of(client.get(reverse("admin:releases_choose")))
    page = text_of(client.get(make_page(study, "whoops")))
    assert "Nothing to release yet." in page
    refused = text_of(
        client.post(make_page(study, "whoops"), {"title": "T", "version": "1", "licence": "CC0"})
    )
    assert "has no weird images" in refused
    assert client.get(make_page(study, "nonsense")).status_code == 404


@pytest.mark.parametrize("role", [REVIEWER, PAYMENTS_PREPARER])
def test_only_who_may_makes_one(client: Client, role: str) -> None:
    study = make_of("winoventi")
    sign_in(client, role, study)

    assert client.get(make_page(study, "winoventi")).status_code == 403
    assert client.get(reverse("admin:releases_choose")).status_code == 403


def test_studies_of_others_are_not_there(client: Client) -> None:
    study = make_of("winoventi")
    release = release_of(study, "winoventi")
    sign_in(client, RESEARCHER)

    assert client.get(make_page(study, "winoventi")).status_code == 404
    assert client.get(reverse("admin:releases_release_change", args=[release.pk])).status_code == 404
    assert "Study of 6" not in text_of(client.get(reverse("admin:releases_choose")))


def test_a_version_is_taken_once_for_each_family() -> None:
    study = make_of("winoventi")
    STUDIES["winoground"](study, 4)

    first = release_of(study, "winoventi")
    other = release_of(study, "winoground")

    assert {first.version, other.version} == {"1.0"}


def test_pages_ask_as_often_for_much_as_for_little(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    small, large = make_of("whoops", items=2), make_of("whoops", items=12)
    sign_in(client, OPERATOR)
    pages = [
        reverse("admin:releases_release_change", args=[release_of(study, "whoops").pk])
        for study in (small, large)
    ]
    pages += [make_page(study, "whoops") for study in (small, large)]
    for page in pages:
        client.get(page)
        with django_assert_max_num_queries(24):
            client.get(page)


def test_releases_are_made_published_and_deleted_by_the_api() -> None:
    study = make_of("winoground")
    held = notebook(
        *(f"releases.{verb}_release" for verb in ("view", "add", "publish", "delete")), sees=[study]
    )
    body = {
        "study": str(study.public_id),
        "family": "winoground",
        "title": "T",
        "version": "1",
        "split_seed": 3,
    }

    made = held.post("releases/", body)

    assert made.status_code == 201, made.content
    release = Release.objects.get()
    assert made.json()["public_id"] == str(release.public_id)
    assert (release.split_seed, release.picture_licences) == (3, [])
    assert AuditEvent.objects.filter(kind="release.made").count() == 1
    assert held.post("releases/", body).status_code == 409
    assert held.post(f"releases/{release.public_id}/publish/").status_code == 409
    while not release_states.write_releases(clock=lambda: release.made_at):
        pass
    assert held.post(f"releases/{release.public_id}/publish/").status_code == 200
    refused = held.post(f"releases/{release.public_id}/remove/")
    assert (refused.status_code, refused.json()["code"]) == (409, "is_published")


def test_a_release_of_before_is_shown_as_it_is(client: Client) -> None:
    """Releases of version 0.1.0 have other counts, and no list of what their files hold."""
    study = make_of("winogavil")
    release = release_of(study, "winogavil")
    counts = {
        name: release.counts[name]
        for name in ("rows", "selected", "unscored", "shapes", "creators", "solvers")
    }
    Release.objects.update(counts={**counts, "pictures": 30}, files=release.files[:6])
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse("admin:releases_release_change", args=[release.pk])))

    assert "none of 30" in page
    assert "Models beside people" in page
    assert reverse("admin:benchmarks_open", args=[release.pk, "associations"]) in page
