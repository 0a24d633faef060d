"""What a replay makes of a recording of the association game."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from crowd.winogavil.models import Association, Game, Place, Solution
from crowd.winogavil.replaying.replay import WinogavilReplay
from crowd.winogavil.replaying.rules import IMPOSSIBLE, WARNINGS, numbers_left_out
from crowd.winogavil.services import association_creation, association_verdicts, final_associations
from hits.data import replays
from hits.data.replays import Replay, Tell
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.providers.models.accounts import Account
from hits.providers.services.accounts import seed_first_account
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from scoring.models import RivalQuery
from tests.crowd.winogavil.replaying.recordings import SET, Row, association, solution, solved, write
from tests.factories import NOW, make_study

pytestmark = pytest.mark.django_db


def replay(folder: Path, *, study: str = "recorded") -> dict[str, Any]:
    return WinogavilReplay().replay(folder=folder, study=study, tell=lambda *_: None, now=NOW)


def replayed(folder: Path, associations: Sequence[Row], solutions: Sequence[Row]) -> dict[str, Any]:
    return replay(write(folder, associations, solutions))


def broken(report: Mapping[str, Any]) -> dict[str, int]:
    return {rule: times for rule, times in report["warnings"].items() if times}


def rows_of(study: str) -> list[Any]:
    """Everything stored of a recording, by names instead of ids."""
    return [
        (
            *facts,
            [*Place.objects.filter(association=pk).values_list("label", "chosen", "predicted")],
            sorted(
                (answer.worker.external_id, answer.picked, answer.value)
                for answer in Solution.objects.filter(association=pk).select_related("worker")
            ),
        )
        for pk, *facts in Association.objects.filter(item__study__name=study)
        .order_by("pk")
        .values_list("pk", "recorded_as", "cue", "model_score", "solvers_numerator")
    ]


def test_a_recording_is_final_at_once_and_asked_of_nobody(tmp_path: Path) -> None:
    row = association(cue="thorn", selected=["rose", "pile"], rival_prediction=["pile", "tea"])

    replayed(tmp_path, [row], solved("A1", ["rose", "pile"], ["pile", "rose"], ["pile", "tea"]))

    made = Association.objects.select_related("item__author__account").get()
    author = made.item.author
    assert author
    assert (made.source, made.recorded_as, made.cue, made.picture_set) == ("recorded", "A1", "thorn", None)
    assert (made.model_score, made.asked_at, made.final_at, made.told_at) == (33, NOW, NOW, NOW)
    assert (made.solvers_mean, made.is_selected(threshold=80)) == (Fraction(7, 9), False)
    assert (made.item.wanted, made.item.task, made.item.batch) == (0, "winogavil.solve", None)
    assert (author.external_id, author.account.kind) == ("creator-1", Account.Kind.RECORDED)
    assert [*made.places.values_list("label", "position", "chosen", "predicted")] == [
        ("tea", 0, False, True),
        ("pile", 1, True, True),
        ("rose", 2, True, False),
        ("zoo", 3, False, False),
        ("rope", 4, False, False),
    ]
    assert not made.places.exclude(picture=None).exists()
    answers = made.solutions.select_related("worker").order_by("pk")
    assert [(one.worker.external_id, one.assignment, one.picked, str(one.value)) for one in answers] == [
        ("solver-1", None, [1, 2], "1"),
        ("solver-2", None, [1, 2], "1"),
        ("solver-3", None, [0, 1], "1/3"),
    ]


def test_a_replay_makes_no_hit_pays_nobody_and_asks_no_rival(tmp_path: Path) -> None:
    replayed(tmp_path, [association("A1"), association("A2", cue="spike")], solved("A1"))

    later = NOW + timedelta(days=1)
    assert final_associations.finalize_associations(now=later) == 0
    assert association_verdicts.ask_rivals(now=later) == 0
    assert association_creation.credit_authors(now=later) == 0
    assert not any(model.objects.exists() for model in (Batch, HIT, Assignment, Bonus, RivalQuery))
    assert not Item.objects.filter(wanted__gt=0).exists()
    assert not Account.objects.connected().exists()


def test_a_recording_does_not_stand_in_the_way_of_the_first_account(tmp_path: Path) -> None:
    replayed(tmp_path, [association()], solved())
    values = {
        "name": "first",
        "environment": "sandbox",
        "endpoint": "http://localhost:8000",
        "worker_site": "",
        "access_key_id": "key",
        "secret_access_key": "secret",
    }

    first = seed_first_account(values=values)

    assert first
    assert [*Account.objects.connected()] == [first]


def test_the_figures_are_of_all_and_the_bonuses_of_what_people_solve(tmp_path: Path) -> None:
    six = [*SET, "bread"]
    rows = [
        association("A1"),  # fools the rival fully: 27 cents
        association("A2", cue="soft", rival_prediction=["tea", "zoo"]),  # a third: 67, 18 cents
        association("A3", cue="wet", rival_prediction=SET[:2]),  # found: nothing
        association("A4", cue="old"),  # not solvable
        association(
            "A5", cue="dry", candidates=six, selected=six[:3], rival_prediction=[*six[:2], "zoo"]
        ),  # a half: 50, 3 cents
    ]
    answers = [
        *(row for name in ("A1", "A2", "A3") for row in solved(name)),
        *solved("A4", SET[:2], SET[:2], ["tea", "zoo"]),
        *solved("A5", six[:3], six[:3], [*six[:2], "zoo"]),
    ]

    report = replayed(tmp_path, rows, answers)

    assert {key: value for key, value in report.items() if key != "warnings"} == {
        "associations": 5,
        "selected": 4,
        "skipped_impossible_rows": 0,
        "by_size": {
            "5/2": {"items": 4, "mean_model_score": round((0 + 33 + 100 + 0) / 4, 1)},
            "6/3": {"items": 1, "mean_model_score": 50.0},
        },
        "bonus_cents_by_tier": {"0": 2, "3": 1, "18": 1, "27": 1},
        "bonus_total": "0.48",
    }
    assert list(report["warnings"]) == [*WARNINGS, *IMPOSSIBLE]


@pytest.mark.parametrize(("threshold", "selected"), [(70, 2), (80, 1), (95, 1), (100, 1)])
def test_bonuses_follow_the_table_whatever_a_study_selects(
    tmp_path: Path, threshold: int, selected: int
) -> None:
    rule = {"name": "solved", "kind": "per_item", "measure": "solvable", "at_least": 75, "amount": "0.05"}
    Game.objects.create(study=make_study(name="recorded", bonus_rules=[rule]), selection_threshold=threshold)
    answers = [*solved("A1"), *solved("A2", SET[:2], SET[:2], SET[1:3])]

    report = replayed(tmp_path, [association("A1"), association("A2", cue="soft")], answers)

    assert report["selected"] == selected
    assert (report["bonus_cents_by_tier"], report["bonus_total"]) == ({"5": 2}, "0.10")


def test_a_study_of_ones_own_keeps_its_bonus_table(tmp_path: Path) -> None:
    rule = {"name": "solved", "kind": "per_item", "measure": "solvable", "at_least": 100, "amount": "0.05"}
    make_study(name="recorded", bonus_rules=[rule])

    report = replayed(tmp_path, [association()], solved())

    assert (report["bonus_cents_by_tier"], report["bonus_total"]) == ({"5": 1}, "0.05")
    assert Study.objects.get().bonus_rules == [rule]


def test_the_same_files_again_add_nothing_and_say_the_same(tmp_path: Path) -> None:
    rows, answers = [association("A1"), association("A2", cue="spike")], [*solved("A1"), *solved("A2")]
    first = replayed(tmp_path, rows, answers)
    before = rows_of("recorded")

    again = replay(tmp_path)

    assert again == first
    assert rows_of("recorded") == before
    assert (Study.objects.count(), Account.objects.count(), Worker.objects.count()) == (1, 1, 4)


def test_a_recording_that_has_grown_adds_what_is_new(tmp_path: Path) -> None:
    replayed(tmp_path, [association("A1")], solved("A1"))

    report = replayed(
        tmp_path, [association("A0", cue="spike"), association("A1")], [*solved("A0"), *solved("A1")]
    )

    assert report["associations"] == 2
    assert [name for name, *_ in rows_of("recorded")] == ["A1", "A0"]


@pytest.mark.parametrize(
    "changes", [{"cue": "spike"}, {"candidates": [*SET[:4], "bread"], "rival_prediction": SET[2:4]}]
)
def test_another_recording_under_known_names_is_refused(tmp_path: Path, changes: Mapping[str, Any]) -> None:
    replayed(tmp_path, [association("A1")], solved("A1"))
    before = rows_of("recorded")

    write(tmp_path, [association("A1", **changes), association("A2")], solved("A1"))
    with pytest.raises(Exception, match="another recording of A1"):
        replay(tmp_path)

    assert rows_of("recorded") == before
    assert replay(tmp_path, study="its own")["associations"] == 2


def test_two_studies_may_hold_the_same_recording(tmp_path: Path) -> None:
    replayed(tmp_path, [association()], solved())

    replay(tmp_path, study="twin")

    assert rows_of("twin") == rows_of("recorded")
    assert Worker.objects.count() == 2 * 4


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    rows = [association(f"A{number}", cue=cue) for number, cue in enumerate(("soft", "wet", "old"))]
    answers = [answer for row in rows for answer in solved(row["association"], SET[:2], SET[1:3])]
    replay(write(tmp_path / "sorted", rows, answers), study="sorted")

    replay(write(tmp_path / "other", rows[::-1], answers[::-1]), study="other")

    assert sorted(rows_of("other")) == rows_of("sorted")


SIX = ("tea", "pile", "rose", "zoo", "rope", "black hole")


@pytest.mark.parametrize(
    ("rule", "changes", "picks"),
    [
        pytest.param("cue_not_a_word", {"cue": "ice-cream"}, [SET[:2]] * 3, id="a hyphen"),
        pytest.param("cue_not_a_word", {"cue": "two words"}, [SET[:2]] * 3, id="two words"),
        pytest.param("cue_not_a_word", {"cue": ""}, [SET[:2]] * 3, id="no cue"),
        pytest.param("cue_profane", {"cue": "shit"}, [SET[:2]] * 3, id="profane"),
        pytest.param("cue_names_picture", {"cue": "Rope"}, [SET[:2]] * 3, id="a name"),
        pytest.param(
            "cue_names_picture", {"cue": "hole", "candidates": SIX}, [SET[:2]] * 3, id="a word of a name"
        ),
        pytest.param(
            "candidates_outside_rule",
            {"candidates": SET[:4], "rival_prediction": SET[2:4]},
            [SET[:2]] * 3,
            id="four candidates",
        ),
        pytest.param(
            "chosen_outside_rule",
            {"selected": SET[:1], "rival_prediction": SET[3:4]},
            [SET[:1]] * 3,
            id="one chosen",
        ),
        pytest.param(
            "chosen_outside_rule",
            {"selected": SET[:4], "rival_prediction": SET[1:]},
            [SET[:4]] * 3,
            id="four of five chosen",
        ),
        pytest.param(
            "prediction_of_another_number", {"rival_prediction": SET[:3]}, [SET[:2]] * 3, id="three predicted"
        ),
        pytest.param("prediction_of_another_number", {"rival_prediction": []}, [SET[:2]] * 3, id="nothing"),
        pytest.param("fewer_than_three_solvers", {}, [SET[:2]] * 2, id="two solvers"),
        pytest.param("more_than_three_solvers", {}, [SET[:2]] * 4, id="four solvers"),
        pytest.param("solved_by_its_author", {"worker": "solver-2"}, [SET[:2]] * 3, id="own"),
        pytest.param("picked_another_number", {}, [SET[:2], SET[:2], []], id="nothing picked"),
    ],
)
def test_a_rule_of_live_work_warns_and_refuses_nothing(
    tmp_path: Path, rule: str, changes: Mapping[str, Any], picks: Sequence[Sequence[str]]
) -> None:
    report = replayed(tmp_path, [association(**changes)], solved("A1", *picks))

    assert broken(report) == {rule: 1}
    assert (report["associations"], report["skipped_impossible_rows"]) == (1, 0)
    assert Association.objects.get().final_at == NOW
    assert Solution.objects.count() == len(picks)


def test_what_nobody_solved_is_kept_and_never_final(tmp_path: Path) -> None:
    report = replayed(tmp_path, [association()], [])

    made = Association.objects.get()
    assert (made.final_at, made.solvers_mean, made.model_score) == (None, None, 0)
    assert broken(report) == {"no_solver": 1}
    assert (report["associations"], report["selected"], report["bonus_total"]) == (1, 0, "0.00")


def test_rules_about_a_whole_set_are_counted_over_all_of_it(tmp_path: Path) -> None:
    spymasters = [
        association(f"A{number}", worker=f"creator-{number}", cue=cue)
        for number, cue in enumerate(("thorn", "Thorn", "leaf", "root"))
    ]
    third = [
        association(f"A{4 + number}", worker="creator-0", cue=cue)
        for number, cue in enumerate(("bud", "sap"))
    ]
    other_order = association("A6", worker="creator-9", cue="LEAF", candidates=SET[::-1])
    rows = [*spymasters, *third, other_order]

    report = replayed(tmp_path, rows, [answer for row in rows for answer in solved(row["association"])])

    assert broken(report) == {
        "cue_repeated_in_set": 2,
        "more_than_three_spymasters": 1,
        "more_than_two_cues": 1,
    }


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("candidate_twice", {"candidates": [*SET, "tea"]}),
        ("nothing_chosen", {"selected": []}),
        ("chosen_not_a_candidate", {"selected": ["tea", "moon"]}),
        ("chosen_not_a_candidate", {"selected": ["tea", "tea"]}),
        ("predicted_not_a_candidate", {"rival_prediction": ["tea", "moon"]}),
        ("too_long", {"cue": "x" * 201}),
        ("too_long", {"candidates": [*SET, "x" * 200]}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_an_impossible_association_is_left_out_with_its_solutions(
    tmp_path: Path, rule: str, changes: Mapping[str, Any]
) -> None:
    rows = [association("A1", **changes), association("A2", cue="spike")]

    report = replayed(tmp_path, rows, [*solved("A1"), *solved("A2")])

    assert (report["associations"], report["skipped_impossible_rows"]) == (1, 1)
    assert broken(report) == {rule: 1}
    assert [name for name, *_ in rows_of("recorded")] == ["A2"]


@pytest.mark.parametrize(
    ("rule", "extra"),
    [
        ("solution_of_nothing", solution("B1", "solver-4")),
        ("solution_twice", solution("A1", "solver-1", SET[1:3])),
        ("picked_not_a_candidate", solution("A1", "solver-4", ["tea", "moon"])),
    ],
    ids=["of nothing", "twice", "not shown"],
)
def test_an_impossible_solution_is_left_out(tmp_path: Path, rule: str, extra: Row) -> None:
    report = replayed(tmp_path, [association()], [*solved(), extra])

    assert (report["selected"], report["skipped_impossible_rows"]) == (1, 1)
    assert broken(report) == {rule: 1}
    assert Solution.objects.count() == 3


@pytest.mark.parametrize(
    ("names", "left_out"),
    [
        ([], 0),
        (["A7"], 0),
        (["A07", "A08", "A09"], 0),
        (["A07", "A10"], 2),
        (["9", "10", "12"], 1),
        (["A07", "B10"], 0),
        (["A10", "A07"], 0),
        (["tea", "A07", "A10"], 0),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_numbers_are_left_out_only_of_what_counts_upwards(names: list[str], left_out: int) -> None:
    assert numbers_left_out(names) == left_out


def test_a_number_that_is_missing_counts_as_a_row_left_out(tmp_path: Path) -> None:
    rows = [association("A1"), association("A4", cue="spike")]

    report = replayed(tmp_path, rows, [*solved("A1"), *solved("A4")])

    assert broken(report) == {"number_left_out": 2}
    assert (report["associations"], report["skipped_impossible_rows"]) == (2, 2)


class Watched(StringIO):
    def isatty(self) -> bool:
        return True


def test_the_command_prints_one_json_object_and_progress_only_where_it_is_watched(tmp_path: Path) -> None:
    write(tmp_path, [association()], solved())
    out, err, watched = StringIO(), StringIO(), Watched()

    call_command("replay", "winogavil", tmp_path, "--json", stdout=out, stderr=err)
    call_command("replay", "winogavil", tmp_path, "--json", stdout=StringIO(), stderr=watched)

    (line,) = out.getvalue().splitlines()
    report = json.loads(line)
    assert (report["associations"], report["bonus_total"]) == (1, "0.27")
    assert report.pop("seconds") >= 0
    assert report == replay(tmp_path, study="another")
    assert err.getvalue() == ""
    assert "associations replayed: 1 of 1" in watched.getvalue()


def test_without_a_study_the_same_files_find_theirs_wherever_they_lie(tmp_path: Path) -> None:
    for folder in ("here", "there"):
        write(tmp_path / folder, [association()], solved())
        call_command("replay", "winogavil", tmp_path / folder, stdout=StringIO())
    assert (Study.objects.count(), Association.objects.count()) == (1, 1)

    write(tmp_path / "there", [association(cue="spike")], solved())
    call_command("replay", "winogavil", tmp_path / "there", stdout=StringIO())

    assert (Study.objects.count(), Association.objects.count()) == (2, 2)


def test_the_command_names_a_missing_file_and_an_unknown_family(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no file .*associations\.csv.* reads .* and solutions\.csv"):
        call_command("replay", "winogavil", tmp_path)
    with pytest.raises(CommandError, match=r"'chess'.*choose from .*winogavil"):
        call_command("replay", "chess", tmp_path)

    assert not Study.objects.exists()


def test_another_family_plugs_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(Replay):
        family = "other"
        files = ("moves.csv",)

        def add_arguments(self, parser: ArgumentParser) -> None:
            parser.add_argument("--clock", type=int, default=90)

        def replay(self, *, folder: Path, study: str, tell: Tell, now: Any, **options: Any) -> dict[str, Any]:
            return {"study": study, "bytes": (folder / "moves.csv").stat().st_size, **options}

    monkeypatch.setattr(replays, "_replays", {})
    replays.register(Other())
    (tmp_path / "moves.csv").write_text("e4")
    out = StringIO()

    call_command("replay", "other", tmp_path, "--study", "chess", "--clock", "5", stdout=out)

    assert out.getvalue().startswith("study: chess\nbytes: 2\nclock: 5\nseconds: ")
