"""The recorded validators of WinoVenti: how far they agree, and who stands out, where the recordings are."""

import pytest

from tests.bench.quality.recorded import figures_of, right_in
from tests.bench.servers import ROOT

FOLDER = ROOT.parent / "shared" / "data" / "winoventi"

pytestmark = [
    pytest.mark.pure,
    pytest.mark.skipif(not FOLDER.exists(), reason="The recordings are not beside this checkout."),
]


def test_recorded_validators_agree_little_beyond_chance_and_one_of_them_reads_a_question_in_another_way() -> (
    None
):
    found = figures_of(FOLDER)

    alphas = {one["question"]: one["alpha"] for one in found["agreement"]}
    assert alphas == pytest.approx(
        {
            "generic_synonym": 0.371,
            "exception_synonym": 0.396,
            "exception_fits_generic": 0.218,
            "generic_fits_exception": 0.271,
        },
        abs=0.001,
    )
    assert {one["compared"] for one in found["agreement"]} == {846}
    assert [one["tied"] for one in found["agreement"]] == [134, 142, 144, 167]
    [standing] = [one for one in found["workers"] if one["stands_out"]]
    assert standing["worker"] == "W66D1B070ADC3"
    assert "Says “yes” to “generic_synonym” in 76 % of answers" in standing["signs"][0]
    assert found["pairs"] == []


def test_recorded_choices_are_right_as_often_as_the_paper_says() -> None:
    right = right_in(FOLDER).values()

    assert (sum(one for one, _ in right), sum(many for _, many in right)) == (610 + 605, 2 * 676)
