"""What a replay makes of a recording of the exception procedure."""

import json
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from crowd.winoventi.models import Alternative, Choice, Generic, Judgement, Noun, Premise, Prompt
from crowd.winoventi.replaying.replay import WinoventiReplay
from crowd.winoventi.replaying.rows import CHOICES, EXCEPTIONS, FILES
from crowd.winoventi.replaying.rules import IMPOSSIBLE, WARNINGS
from hits.core.errors import CrowdError, InvalidItems
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from tests.crowd.winoventi.crowd import Crowd
from tests.crowd.winoventi.recordings import (
    choice,
    judgement,
    one_pair,
    pair,
    premise,
    probability,
    write,
    write_many,
)
from tests.factories import NOW

DATA = Path(__file__).parents[4] / "shared" / "data" / "winoventi"
recorded = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded data of ../shared is not here")
MODELS = (Noun, Generic, Alternative, Premise, Judgement, Prompt, Choice, Worker)
pytestmark = pytest.mark.django_db


def replay(folder: Path, *, study: str = "recorded", **options: Any) -> dict[str, Any]:
    return WinoventiReplay().replay(folder=folder, study=study, tell=lambda *_: None, now=NOW, **options)


def warned(folder: Path, **files: Iterable[Mapping[str, str]]) -> dict[str, int]:
    report = replay(write(folder, one_pair(**files)))
    return {rule: times for rule, times in report["warnings"].items() if times}


def counted() -> list[int]:
    return [model.objects.count() for model in MODELS]


def test_a_recorded_pair_goes_the_way_of_live_work_and_nobody_is_asked(tmp_path: Path) -> None:
    report = replay(write(tmp_path, one_pair()))

    figures = dict.fromkeys(
        (
            "pairs_posted",
            "exceptions",
            "passed_filter",
            "premises",
            "well_formed_premises",
            "validated",
            "valid_pairs",
            "entities",
            "generics",
        ),
        1,
    )
    nothing = ("nonsense", "failed_validation", "refused_self_judgements", "skipped_impossible_rows")
    assert report == {
        **figures,
        **dict.fromkeys(nothing, 0),
        "human_generic": [1, 1],
        "human_exception": [0, 1],
        "warnings": dict.fromkeys((*WARNINGS, *IMPOSSIBLE), 0),
    }
    assert Premise.objects.get().sentence == "Jim found the apple [sweet / rotten]."
    assert set(Account.objects.values_list("kind", flat=True)) == {Account.Kind.RECORDED}
    assert not any(model.objects.exists() for model in (HIT, Item, Assignment, Bonus))


def test_the_same_files_again_add_nothing(tmp_path: Path) -> None:
    write_many(tmp_path, pairs=40, seed=3)
    first, rows = replay(tmp_path), counted()

    again = replay(tmp_path)

    assert (again, counted()) == (first, rows)
    assert 0 < first["failed_validation"] < first["validated"]


@pytest.mark.parametrize(
    ("files", "rules"),
    [
        ({"exceptions": [pair(exception_2="very bad")]}, {"exception_not_one_word": 1}),
        ({"exceptions": [pair(exception_2=" Inedible ")]}, {"exception_repeated": 1}),
        (
            {"exceptions": [pair(), pair(rank="2")]},
            {"exception_repeated": 1},
        ),
        (
            {"exceptions": [pair(), pair(rank="2", noun="pear", makes_sense="no")]},
            {"nonsense_with_exceptions": 1},
        ),
        ({"exceptions": [pair(), pair(rank="2", noun="pear", exception_1="N/A")]}, {"no_exception": 1}),
        ({"exceptions": [pair(), pair()]}, {"pair_twice": 1}),
        ({"exceptions": [pair(), pair(rank="2", noun="x" * 65)]}, {"too_long": 1}),
        ({"probabilities": [probability(), probability(noun="pear")]}, {"probability_of_nothing": 1}),
        ({"probabilities": [probability(exception=" INEDIBLE "), probability()]}, {"probability_twice": 1}),
        ({"premises": [premise(sentence="It is [rotten/sweet]")]}, {"order_differs": 1}),
        ({"premises": [premise(generic_word="ripe")]}, {"words_differ": 1}),
        (
            {"premises": [premise(sentence="It is [edible/rotten]", generic_word="edible")]},
            {"outcome_word": 1},
        ),
        (
            {"premises": [premise(sentence="N/A")]},
            {"premise_not_available": 1, "judged_malformed": 2, "choice_of_no_pair": 2},
        ),
        ({"premises": [premise(), premise(worker="six")]}, {"premise_twice": 1}),
        ({"validations": [judgement(), judgement("four"), judgement("five")]}, None),
        ({"validations": [judgement(), judgement("four"), judgement("three")]}, {"judgement_twice": 1}),
        ({"validations": [judgement()]}, {"too_few_judgements": 1, "choice_of_no_pair": 2}),
        (
            {"validations": [judgement(), judgement("two")]},
            {"self_validation": 1, "too_few_judgements": 1, "choice_of_no_pair": 2},
        ),
        ({"choices": [choice(choice="green")]}, {"choice_not_offered": 1}),
        ({"choices": [choice(worker="two")]}, {"choice_by_one_who_worked": 1}),
        ({"choices": [choice(noun="pear")]}, {"choice_of_nothing": 1}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_rules_of_live_work_warn_and_the_impossible_is_left_out(
    tmp_path: Path, files: dict[str, Any], rules: dict[str, int] | None
) -> None:
    expected = {"too_many_judgements": 1, "choice_by_one_who_worked": 2} if rules is None else rules

    assert warned(tmp_path, **files) == expected


def test_self_judgements_are_refused_unless_they_are_allowed(tmp_path: Path) -> None:
    write(tmp_path, one_pair(validations=[judgement(), judgement("two")]))

    strict = replay(tmp_path)
    allowed = replay(tmp_path, allow_self_validation=True)
    strict_again = replay(tmp_path)

    assert (strict["refused_self_judgements"], strict["validated"]) == (1, 0)
    assert (allowed["refused_self_judgements"], allowed["validated"]) == (0, 1)
    assert strict_again == strict
    assert Judgement.objects.count() == 1


def test_other_rules_decide_the_same_recording_anew(tmp_path: Path) -> None:
    objecting = [judgement(generic_synonym="yes"), judgement("four", exception_synonym="yes")]
    write(tmp_path, one_pair(validations=objecting))

    failed = {
        name: replay(tmp_path, **options)["failed_validation"]
        for name, options in (
            ("by question", {}),
            ("by worker", {"fail_by": "worker"}),
            ("at one", {"fail_at": 1}),
            ("of three", {"required": 3}),
        )
    }

    assert failed == {"by question": 0, "by worker": 1, "at one": 1, "of three": 0}
    assert Judgement.objects.count() == 2


def test_homonyms_are_rows_of_their_own(tmp_path: Path) -> None:
    bows = [
        pair(noun="bow", generic="long", rank=str(rank), exception_1=word)
        for rank, word in enumerate(("short", "tiny", "square"), start=1)
    ]
    replay(write(tmp_path, one_pair(exceptions=[*bows, pair(noun="bow", generic="old", rank="9")])))

    found = Noun.objects.order_by("number").values_list("number", "word", "generics__word")
    assert sorted(found) == [(1, "bow", "long"), (1, "bow", "old"), (2, "bow", "long"), (3, "bow", "long")]


def test_bad_lines_are_named_before_anything_is_written(tmp_path: Path) -> None:
    bad = [pair(k="one"), pair(rank="2", perplexity="inf"), pair(rank="3", makes_sense="maybe")]
    write(tmp_path, {**one_pair(exceptions=bad), CHOICES: [choice(kind="both"), choice(worker=" ")]})

    with pytest.raises(InvalidItems) as refused:
        replay(tmp_path)

    assert refused.value.problems == [
        "exceptions.csv, line 2: k is a whole number, not “one”.",
        "exceptions.csv, line 3: perplexity is a number, not “inf”.",
        "exceptions.csv, line 4: makes_sense is yes or no, not “maybe”.",
        "choices.csv, line 2: kind is generic or exception, not “both”.",
        "choices.csv, line 3: worker must not be empty.",
    ]
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "exceptions.csv: The file is empty"),
        (b"worker,noun\n", "The first line names the columns worker, noun"),
        (b"\xff\n", "line 1 is not UTF-8 text"),
        (b'worker,"noun\n', "line 1 cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    write(tmp_path, one_pair())
    (tmp_path / EXCEPTIONS).write_bytes(content)

    with pytest.raises(InvalidItems, match=problem):
        replay(tmp_path)

    assert not Study.objects.exists()


def test_another_recording_is_not_mixed_into_the_same_study(tmp_path: Path) -> None:
    replay(write(tmp_path / "one", one_pair()))
    before = counted()

    with pytest.raises(InvalidItems, match="other pairs at the places"):
        replay(write(tmp_path / "other", one_pair(exceptions=[pair(noun="pear")])))

    assert counted() == before


def test_a_study_with_live_work_keeps_its_rules(tmp_path: Path) -> None:
    crowd = Crowd()
    crowd.post()

    with pytest.raises(CrowdError, match="collects live work by other rules"):
        replay(write(tmp_path, one_pair()), study=crowd.project.study.name)

    crowd.project.refresh_from_db()
    assert (crowd.project.answers_wanted, Premise.objects.count()) == (3, 0)


def test_the_command_takes_the_family_own_options_and_finds_its_study_again(tmp_path: Path) -> None:
    write(tmp_path, one_pair(validations=[judgement(), judgement("two")]))
    out = StringIO()

    call_command("replay", "winoventi", tmp_path, "--allow-self-validation", "--json", stdout=out)
    call_command("replay", "winoventi", tmp_path, "--allow-self-validation", stdout=StringIO())
    call_command("replay", "winoventi", tmp_path, stdout=StringIO())

    assert json.loads(out.getvalue())["validated"] == 1
    assert Study.objects.count() == 2
    with pytest.raises(CommandError, match="must be a whole number from 1 to 99"):
        call_command("replay", "winoventi", tmp_path, "--required", "0")
    with pytest.raises(CommandError, match="unrecognized arguments: --required"):
        call_command("replay", "winogavil", tmp_path, "--required", "2")


def test_an_exception_of_more_than_one_word_is_discarded_with_what_hangs_on_it(tmp_path: Path) -> None:
    words, triplet = "gone off", {"exception": "gone off"}
    files = one_pair(
        exceptions=[pair(exception_2=words, exception_3="\u00a0moldy ")],
        probabilities=[probability(), probability(**triplet), probability(exception="moldy")],
        premises=[premise(), premise(**triplet)],
        validations=[judgement(), judgement("four"), judgement(**triplet)],
    )

    report = replay(write(tmp_path, files))

    assert list(Alternative.objects.order_by("pk").values_list("word", flat=True)) == ["inedible", "moldy"]
    figures = ("exceptions", "passed_filter", "premises", "valid_pairs", "skipped_impossible_rows")
    assert [report[name] for name in figures] == [2, 2, 1, 1, 3]
    assert {rule: times for rule, times in report["warnings"].items() if times} == {
        "exception_not_one_word": 1,
        "probability_of_nothing": 1,
        "premise_of_nothing": 1,
        "judgement_of_nothing": 1,
    }


def test_exceptions_of_more_than_one_word_alone_leave_their_statement_without_any(tmp_path: Path) -> None:
    exceptions = [pair(), pair(rank="2", noun="pear", exception_1="gone off", exception_2="gone off")]

    report = replay(write(tmp_path, one_pair(exceptions=exceptions)))

    assert (report["pairs_posted"], report["exceptions"], report["nonsense"]) == (2, 1, 0)
    assert Generic.objects.get(rank=2).state == Generic.State.ANSWERED
    assert report["warnings"]["exception_not_one_word"] == 2
    assert report["warnings"]["exception_repeated"] == 0


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("Jim found the apple [sweet / rotten /]", id="stray-slash"),
        pytest.param("Jim found the apple [very sweet / rotten]", id="two-words"),
        pytest.param("Jim found the apple sweet", id="no-bracket"),
    ],
)
def test_a_premise_that_was_judged_is_well_formed_and_still_warns(tmp_path: Path, sentence: str) -> None:
    report = replay(write(tmp_path, one_pair(premises=[premise(sentence=sentence)])))

    figures = ("premises", "well_formed_premises", "validated", "valid_pairs")
    assert [report[name] for name in figures] == [1, 1, 1, 1]
    assert (report["human_generic"], report["human_exception"]) == ([1, 1], [0, 1])
    assert {rule: times for rule, times in report["warnings"].items() if times} == {
        "premise_malformed": 1,
        "judged_malformed": 2,
    }
    assert replay(tmp_path) == report


def test_a_premise_with_a_stray_slash_that_nobody_judged_stays_malformed(tmp_path: Path) -> None:
    sentence = "Jim found the apple [sweet / rotten /]"

    report = replay(
        write(tmp_path, one_pair(premises=[premise(sentence=sentence)], validations=[], choices=[]))
    )

    assert (report["premises"], report["well_formed_premises"]) == (1, 0)
    assert Premise.objects.get().reason == "not_two_words"


def test_a_judged_premise_that_stands_malformed_counts_once_it_is_replayed_again(tmp_path: Path) -> None:
    """Recordings stand so that were replayed before it was noted which premises had been posted."""
    written = premise(sentence="Jim found the apple [sweet / rotten /]")
    report = replay(write(tmp_path, one_pair(premises=[written])))
    old = {"state": "malformed", "reason": "not_two_words", "settled_at": None}
    Premise.objects.update(was_posted=False, **old)

    assert replay(tmp_path) == report
    assert Premise.objects.get().state == "valid"


def test_a_premise_that_only_its_author_judged_was_posted_too(tmp_path: Path) -> None:
    written = premise(sentence="Jim found the apple [sweet / rotten /]")

    report = replay(write(tmp_path, one_pair(premises=[written], validations=[judgement("two")], choices=[])))

    assert (report["well_formed_premises"], report["validated"]) == (1, 0)
    assert report["refused_self_judgements"] == report["warnings"]["too_few_judgements"] == 1


@recorded
def test_the_authors_recording_comes_to_their_figures(tmp_path: Path) -> None:
    expected = json.loads((DATA / "expected.json").read_text())

    report = replay(DATA, required=2, fail_at=2, allow_self_validation=True)
    rows = counted()
    strict = replay(DATA, required=2, fail_at=2)

    assert {key: report[key] for key in expected} == expected
    assert report["warnings"]["self_validation"] == strict["refused_self_judgements"] == 182
    assert strict["validated"] < report["validated"]
    judgements = MODELS.index(Judgement)
    assert [before - after for before, after in zip(rows, counted(), strict=True)] == [
        182 if number == judgements else 0 for number in range(len(MODELS))
    ]


def test_every_file_of_a_recording_is_described() -> None:
    text = (Path(__file__).parents[3] / "docs" / "replaying.md").read_text()

    for name in (*FILES, *WARNINGS, *IMPOSSIBLE):
        assert f"`{name}`" in text
