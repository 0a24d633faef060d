"""The scatter of words, against words whose scores are known."""

from fractions import Fraction

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winogavil.models import Association
from crowd.winogavil.releases.queries import scored_words as scored
from crowd.winogavil.releases.queries.scored_words import scored_words
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from tests.factories import NOW, make_association, make_study
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


def finish(study: Study, cue: str, *, model: int | None, solved: Fraction) -> Association:
    """Make a word that is final, with the model's score and the mean of its solvers."""
    one = make_association(study=study, cue=cue)
    one.model_score, one.asked_at = model, None if model is None else NOW
    one.solvers_numerator, one.solvers_denominator = solved.numerator, solved.denominator
    one.final_at = NOW
    one.save()
    return one


def test_each_final_word_has_both_scores_and_whether_it_is_selected() -> None:
    study = make_study()
    finish(study, "cold", model=30, solved=Fraction(8, 10))
    finish(study, "warm", model=100, solved=Fraction(79, 100))
    finish(study, "unasked", model=None, solved=Fraction(1))
    make_association(study=study, cue="open")
    finish(make_study(), "foreign", model=1, solved=Fraction(1))
    pulled = finish(study, "pulled", model=1, solved=Fraction(1))
    type(pulled.item).objects.filter(pk=pulled.item_id).update(pulled_at=NOW)

    found = scored_words(study, sources=(), threshold=80)

    assert [(one.cue, one.fool, one.solvable, one.is_selected) for one in found] == [
        ("warm", 0, Fraction(79), False),
        ("cold", 70, Fraction(80), True),
    ]


def test_only_the_newest_words_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scored, "MOST", 2)
    study = make_study()
    for cue in ("first", "second", "third"):
        finish(study, cue, model=50, solved=Fraction(1))

    assert [one.cue for one in scored_words(study, sources=(), threshold=80)] == ["third", "second"]


def test_the_page_has_the_scatter_its_table_and_its_file(client: Client) -> None:
    study = make_study()
    word = finish(study, "owl", model=30, solved=Fraction(9, 10))
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse("admin:winogavil_releases_statistics", args=[study.pk])))
    file = client.get(
        reverse("admin:winogavil_releases_statistics_file", args=[study.pk, "scored-words.csv"])
    )
    lines = b"".join(file.streaming_content).decode().splitlines()  # type: ignore[attr-defined]

    assert 'id="spec-scored-words"' in page
    assert reverse("admin:winogavil_association_change", args=[word.pk]) in page
    assert lines[1:] == ["owl,70,90.0,yes"]


def test_more_words_cost_no_more_queries() -> None:
    study, counts = make_study(), []
    for more in (1, 8):
        for number in range(more):
            finish(study, "owl" + "l" * number, model=50, solved=Fraction(1))
        with CaptureQueriesContext(connection) as queries:
            scored_words(study, sources=(), threshold=80)
        counts.append(len(queries))

    assert counts == [1, 1]
