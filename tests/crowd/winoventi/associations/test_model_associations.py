"""The commonest associations of each model, on readings that are counted a second time by hand."""

from fractions import Fraction

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winoventi.associations.queries.model_associations import associations_by_model, commonest_words
from crowd.winoventi.models import Project
from hits.identity.roles import RESEARCHER
from tests.crowd.winoventi.rows import make_project, make_readings
from tests.goldens import body_of
from tests.people import sign_in
from tests.scoring.fakes import make_rival

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """Three nouns, read by the project's own model and by another one.

    By k = 1 the own model finds empty for the desk. By k = 2 it finds empty and full for the desk, empty for
    the couch, and nothing for the fig: three associations. The other one says adjustable of all three nouns.
    """
    own, other = make_rival("zeta", kind="masked"), make_rival("albert", kind="masked")
    made = make_project("desk", "couch", "fig", generics_model=own, ks=[1, 2])
    make_readings(made, own, "desk", "empty full", "empty full")
    make_readings(made, own, "couch", "warm empty", "empty cold")
    make_readings(made, own, "fig", "ripe sweet", "blue old")
    for noun in ("desk", "couch", "fig"):
        make_readings(made, other, noun, "adjustable gone", "adjustable here")
    return made


def test_words_are_counted_by_model_over_all_its_associations(project: Project) -> None:
    own, other = commonest_words(associations_by_model(project, ks=[1, 2]), k=2)

    assert [(one.word, one.nouns, one.share) for one in own] == [
        ("empty", 2, Fraction(2, 3)),
        ("full", 1, Fraction(1, 3)),
    ]
    assert [(one.rival.name, one.word, one.nouns, one.share) for one in other] == [
        ("albert", "adjustable", 3, Fraction(1))
    ]


def test_a_smaller_k_finds_fewer(project: Project) -> None:
    own, _ = commonest_words(associations_by_model(project, ks=[1, 2]), k=1)

    assert [(one.word, one.nouns, one.all) for one in own] == [("empty", 1, 1)]


def test_a_model_that_finds_nothing_has_no_words(project: Project) -> None:
    make_readings(project, make_rival("mute", kind="masked"), "fig", "a b", "c d")

    by_model = list(commonest_words(associations_by_model(project, ks=[2]), k=2))

    assert [len(words) for words in by_model] == [2, 1, 0]


def test_all_models_are_read_with_two_queries(project: Project) -> None:
    make_readings(project, make_rival("mute", kind="masked"), "fig", "a b", "c d")

    with CaptureQueriesContext(connection) as queries:
        associations_by_model(project, ks=[1, 2])

    assert len(queries) == 2


def test_the_statistics_have_them_by_the_largest_k_and_as_a_file(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)

    file = body_of(client.get(reverse("admin:winoventi_table", args=[project.pk, "commonest"])))

    assert file.splitlines()[1:] == [
        "Model,Word,Nouns,Of associations,Share",
        "zeta,empty,2,3,66.7 %",
        "zeta,full,1,3,33.3 %",
        "albert,adjustable,3,3,100.0 %",
    ]
