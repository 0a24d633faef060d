"""The perplexity curves of step 1: what is kept of each k, and where it is cut."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from crowd.winoventi.models import Generic, Project


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The perplexities of one k, the lowest first, and where they are cut."""

    k: int
    perplexities: Sequence[float]
    cut: float | None


def curves_of(project: Project) -> list[Curve]:
    """Curves for the plot of step 1, without the generics on the stop list."""
    rows = project.generics.exclude(state=Generic.State.STOPPED).exclude(perplexity=None)
    values: defaultdict[int, list[float]] = defaultdict(list)
    for k, perplexity in rows.order_by("k", "perplexity").values_list("k", "perplexity"):
        values[k].append(perplexity or 0.0)
    cuts = {} if project.cut_by == Project.CutBy.NOTHING else project.cuts
    return [Curve(k=k, perplexities=values[k], cut=cuts.get(str(k))) for k in sorted(values)]
