"""The bonus table is edited as rows, by buttons that work without a script, beside a live example."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winogavil.domain import SOLVER_TIERS, WINOGAVIL_TIERS
from hits.admin.bonus_table.table_draft import read_draft
from hits.core.domain.bonus_tables import EXAMPLES
from hits.families import bonus_presets
from hits.studies.models import Study
from tests.factories import make_study
from tests.hits.admin.test_admin_pages import study_form
from tests.pages import text_of
from tests.people import sign_in_with
from tests.sent_forms import read_page
from tests.sent_tables import sent_table

pytestmark = pytest.mark.django_db
FLAT = {"name": "thanks", "kind": "flat", "amount": "0.05"}
TIERS = dict(EXAMPLES["tiers"])
EACH = dict(EXAMPLES["per_item"])


@pytest.fixture
def researcher(client: Client) -> Client:
    sign_in_with(client, "view_study", "change_study", "see_all_studies")
    return client


def post(client: Client, study: Study, table: list[Any], **more: str) -> Any:
    address = reverse("admin:hits_study_settings", args=[study.pk])
    sent = {name.replace("__", "-"): value for name, value in more.items()}
    return client.post(address, study_form(**sent_table(table), **sent))


def press(client: Client, study: Study, table: list[Any], button: str, **more: str) -> list[str]:
    """Press a button of the table; return the names of the rules on the page that comes back."""
    page = post(client, study, table, bonus_rules__press=button, **more)
    assert page.status_code == 200
    values = read_page(page).form.values
    count = int(values["bonus_rules-rules"][0])
    return [values[f"bonus_rules-{number}-name"][0] for number in range(count)]


def test_a_saved_table_comes_back_as_rows_that_save_the_same(researcher: Client) -> None:
    table = [dict(row) for row in (*EXAMPLES.values(), *WINOGAVIL_TIERS)]
    study = make_study(bonus_rules=table)
    address = reverse("admin:hits_study_settings", args=[study.pk])

    shown = read_page(researcher.get(address)).form.values
    sent = {name: values[0] for name, values in shown.items() if values}
    saved = researcher.post(address, {**sent, "bonus_rules-1-amount": "0.07"})

    assert saved.status_code == 302
    table[1] = {**table[1], "amount": "0.07"}
    assert Study.objects.get().bonus_rules == table


@pytest.mark.parametrize(
    ("button", "names"),
    [
        ("up-2", ["by score", "each right", "thanks"]),
        ("down-0", ["thanks", "by score", "each right"]),
        ("remove-1", ["by score", "each right"]),
        ("up-0", ["by score", "thanks", "each right"]),
        ("remove-9", ["by score", "thanks", "each right"]),
        ("tier", ["by score", "thanks", "each right"]),
    ],
)
def test_a_button_changes_the_page_and_saves_nothing(
    researcher: Client, button: str, names: list[str]
) -> None:
    study = make_study(bonus_rules=[FLAT])

    shown = press(researcher, study, [TIERS, FLAT, EACH], button)

    assert shown == names
    assert Study.objects.get().bonus_rules == [FLAT]


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_rule_of_each_kind_can_be_added(researcher: Client, kind: str) -> None:
    page = post(researcher, make_study(), [FLAT], bonus_rules__press="add", bonus_rules__kind=kind)

    values = read_page(page).form.values
    assert values["bonus_rules-1-kind"] == [kind]
    assert "errorlist" not in text_of(page)
    assert "These changes are not saved yet" in text_of(page)


def test_tiers_are_added_and_removed(researcher: Client) -> None:
    study = make_study()

    more = read_page(post(researcher, study, [TIERS], bonus_rules__press="tier-0")).form.values
    fewer = read_page(post(researcher, study, [TIERS], bonus_rules__press="untier-0-0")).form.values

    assert [more["bonus_rules-0-tiers"], more["bonus_rules-0-tiers-2-amount"]] == [["3"], [""]]
    assert [fewer["bonus_rules-0-tiers"], fewer["bonus_rules-0-tiers-0-from"]] == [["1"], ["80"]]


def test_ready_choices_are_added_to_the_table_once(researcher: Client) -> None:
    study = make_study()
    table = [FLAT, *WINOGAVIL_TIERS]

    added = press(researcher, study, table, "preset", bonus_rules__preset="winogavil.solvers")
    again = press(researcher, study, table, "preset", bonus_rules__preset="winogavil.spymasters")

    assert added == ["thanks", "fools the model", SOLVER_TIERS[0]["name"]]
    assert again == ["thanks", "fools the model"]


def test_solvers_rewarded_according_to_their_jaccard_index_is_offered(researcher: Client) -> None:
    page = text_of(researcher.get(reverse("admin:hits_study_settings", args=[make_study().pk])))

    assert "Solvers are rewarded according to their Jaccard index</option>" in page


@pytest.mark.parametrize("key", bonus_presets.registered())
def test_a_ready_choice_can_be_saved_as_it_is(researcher: Client, key: str) -> None:
    table = [dict(row) for row in bonus_presets.registered()[key].rules]

    saved = post(researcher, make_study(), table)

    assert saved.status_code == 302
    assert Study.objects.get().bonus_rules == table


@pytest.mark.parametrize(
    ("table", "field", "words"),
    [
        ([{**FLAT, "amount": "cheap"}], "0-amount", "Enter a number."),
        ([{**FLAT, "amount": "0.001"}], "0-amount", "no more than 2 decimal places"),
        ([{**EACH, "at_least": 101}], "0-at_least", "less than or equal to 100"),
        ([{**EACH, "measure": ""}], "0-measure", "This field is required."),
        ([FLAT, {**EACH, "name": "thanks"}], "1-name", "Every rule needs a name of its own."),
        ([{**FLAT, "name": "appeal"}], "0-name", "is kept for bonuses that people decide"),
        ([FLAT, {**EACH, "name": "\u200b"}], "1-name", "Rule 2 (per_item): name must be a text of 1 to 64"),
        (
            [{**TIERS, "tiers": [{"from": 50, "below": 40, "amount": "0.03"}]}],
            "0-tiers-0-below",
            "must be less than below",
        ),
        (
            [FLAT, {**TIERS, "tiers": [{"from": 50, "amount": "0.03"}, {"from": 80, "amount": "0.1"}]}],
            "1-tiers-0-below",
            "Rule 2 (tiers): the tiers from 50 and from 80 overlap.",
        ),
        ([{**TIERS, "when": {"measure": "solvable", "at_least": ""}}], "0-when_at_least", "or neither"),
        ([{"name": "fair", "kind": "wage", "at_most": ""}], "0-at_most", "This field is required."),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    researcher: Client, table: list[Any], field: str, words: str
) -> None:
    study = make_study(bonus_rules=[])

    page = post(researcher, study, table)

    shown = read_page(page)
    assert shown.wrong == {f"bonus_rules-{field}", "bonus_rules"}
    assert words in text_of(page)
    assert shown.form.values["bonus_rules-rules"] == [str(len(table))]
    assert Study.objects.get().bonus_rules == []


def test_a_table_longer_than_a_page_would_make_is_kept_whole(researcher: Client) -> None:
    table = [{**FLAT, "name": f"thanks {number}"} for number in range(60)]
    study = make_study(bonus_rules=table)

    shown = press(researcher, study, table, "add", bonus_rules__kind="flat")
    saved = post(researcher, study, [{**table[0], "amount": "0.06"}, *table[1:]])

    assert len(shown) == 60
    assert saved.status_code == 302
    assert [row["amount"] for row in Study.objects.get().bonus_rules] == ["0.06", *["0.05"] * 59]


def test_a_rule_without_tiers_is_refused(researcher: Client) -> None:
    page = post(researcher, make_study(bonus_rules=[]), [{**TIERS, "tiers": []}])

    assert "Add a tier: without one the rule earns nothing." in text_of(page)
    assert Study.objects.get().bonus_rules == []


def test_a_form_without_its_table_changes_nothing(researcher: Client) -> None:
    study = make_study(bonus_rules=[FLAT])
    sent = study_form()
    del sent["bonus_rules-rules"]

    page = researcher.post(reverse("admin:hits_study_settings", args=[study.pk]), sent)

    assert "The rows of the table did not arrive. Load the page again." in text_of(page)
    assert Study.objects.get().bonus_rules == [FLAT]


@pytest.mark.parametrize(
    ("fool", "solvable", "items", "total"),
    [
        ("50", "80", "1", "$0.03"),
        ("66.67", "80", "1", "$0.07"),
        ("80", "80", "2", "$0.54"),
        ("100", "79.99", "1", "$0.00"),
    ],
)
def test_example_is_reckoned_by_the_rules_that_pay(
    researcher: Client, fool: str, solvable: str, items: str, total: str
) -> None:
    page = post(
        researcher,
        make_study(),
        [*WINOGAVIL_TIERS],
        bonus_rules__press="example",
        **{
            "bonus_rules-example-score_fool": fool,
            "bonus_rules-example-score_solvable": solvable,
            "bonus_rules-example-items": items,
        },
    )

    sum_of_it = f'In sum, beyond the reward</th><td class="number">{total}</td>'
    assert sum_of_it in text_of(page)


def test_example_of_a_jaccard_index_tells_what_the_worker_reads(researcher: Client) -> None:
    page = text_of(
        post(
            researcher,
            make_study(),
            [*SOLVER_TIERS, FLAT],
            bonus_rules__press="example",
            **{"bonus_rules-example-score_jaccard": "66.67"},
        )
    )

    assert "by score (jaccard), for each question: 66.67 %: $0.02." in page
    assert 'In sum, beyond the reward</th><td class="number">$0.07</td>' in page


def test_example_leaves_out_rules_that_are_not_complete(researcher: Client) -> None:
    page = text_of(
        post(researcher, make_study(), [FLAT, {**EACH, "amount": ""}], bonus_rules__press="example")
    )

    assert 'In sum, beyond the reward</th><td class="number">$0.05</td>' in page
    assert "Rules that are not complete yet are left out." in page


def test_script_asks_for_the_table_alone(researcher: Client) -> None:
    address = f"{reverse('admin:hits_study_bonus_table')}?field=rules"

    answer = researcher.post(address, {**sent_table([FLAT, EACH], name="rules"), "rules-press": "up-1"})

    assert answer.status_code == 200
    assert answer.content.decode().lstrip().startswith('<div class="page broad form rules-editor"')
    assert 'name="rules-0-name" value="each right"' in text_of(answer)
    assert Study.objects.count() == 0


def test_script_is_refused_to_users_who_may_change_no_study(client: Client) -> None:
    sign_in_with(client, "view_study")
    address = reverse("admin:hits_study_bonus_table")

    answers = [
        client.post(f"{address}?field=rules", sent_table([FLAT], name="rules")),
        client.get(f"{address}?field=rules"),
    ]

    assert [answer.status_code for answer in answers] == [403, 405]


def test_a_field_of_no_name_is_refused(researcher: Client) -> None:
    answer = researcher.post(f"{reverse('admin:hits_study_bonus_table')}?field=<b>", {})

    assert answer.status_code == 400


def test_users_who_may_only_look_read_the_table_in_words(client: Client) -> None:
    sign_in_with(client, "view_study", "see_all_studies")
    study = make_study(bonus_rules=[FLAT])

    page = text_of(client.get(reverse("admin:hits_study_settings", args=[study.pk])))

    assert "<strong>thanks</strong>: $0.05 for every approved submission" in page
    assert "&quot;amount&quot;" not in page
    assert "data-bonus-table" not in page


def test_rows_that_only_a_count_claims_are_not_read() -> None:
    sent = {
        "table-rules": "500",
        "table-0-kind": "tiers",
        "table-0-tiers": "1000",
        "table-0-tiers-7-from": "50",
    }

    draft = read_draft(sent, prefix="table")

    assert [(rule.kind, rule.tiers) for rule in draft.rules] == [("tiers", [{"from": "50"}])]
