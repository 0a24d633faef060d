"""The curves of perplexity, shown beside the cut."""

import pytest

from crowd.winoventi.associations.admin.perplexity_charts import table_of
from crowd.winoventi.associations.queries.perplexity_curves import Curve

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(("count", "ticks"), [(1, 1), (2, 1), (3, 2), (6, 5), (200, 5)])
def test_statements_are_counted_in_whole_numbers(count: int, ticks: int) -> None:
    curve = Curve(k=3, perplexities=[float(number) for number in range(count)], cut=None)

    (chart,) = table_of([curve]).charts

    assert chart.spec["layer"][0]["encoding"]["x"]["axis"]["tickCount"] == ticks
