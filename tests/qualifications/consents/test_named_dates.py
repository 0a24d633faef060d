from datetime import date

import pytest

from qualifications.domain.named_dates import last_day_in


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("We keep your worker id until 31 December 2027. Thank you.", date(2027, 12, 31)),
        ("It began on 1 May 2026.\nIds are deleted on March 3rd, 2028.", date(2028, 3, 3)),
        ("Stored until 2029-06-30, then erased.", date(2029, 6, 30)),
    ],
)
def test_last_day_is_read_from_the_sentence_about_keeping(words: str, day: date) -> None:
    found = last_day_in(words)

    assert found is not None
    assert found[0] == day
    assert found[1] in words


@pytest.mark.parametrize(
    "words",
    ["The study began on 1 May 2026.", "We keep it for ten years.", "Kept until 31 February 2027.", ""],
)
def test_text_without_such_a_day_suggests_none(words: str) -> None:
    assert last_day_in(words) is None
