from xml.sax.saxutils import escape

import pytest

from crowd.marketplace import frames
from tests.crowd.marketplace.rows import accept, post_hit

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "query", ["", "?a=1", "?flag", "?signed=a%20b%2Bc&empty=", "?order=2&order=1&token=x%3D%3D"]
)
def test_frame_keeps_the_requesters_query_to_the_letter(query: str) -> None:
    hit = post_hit(url=escape(f"https://example.org/q{query}"))

    urls = [frames.preview_url(hit), frames.work_url(accept(hit))]

    joint = "&" if query else "?"
    assert [url.startswith(f"https://example.org/q{query}{joint}assignmentId=") for url in urls] == [True] * 2
    assert [url.count("?") for url in urls] == [1, 1]
