import pytest

from hits.core.domain.typed_text import is_whole


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("1", True),
        ("99", True),
        ("007", True),
        ("0", False),
        ("100", False),
        ("-1", False),
        ("1.0", False),
        ("", False),
        ("٣", False),
        ("9" * 5000, False),
        ("0" * 5000, False),
    ],
)
def test_whole_number_is_told_however_long_the_text(text: str, is_one: bool) -> None:
    assert is_whole(text, most=99) == is_one
