"""How a study compares with the papers that it was set up as in."""

from collections.abc import Iterator

from crowd import family as families
from crowd.family import Family
from crowd.papers.models import PaperSetup
from crowd.papers.parts import SetupRow, parts_of
from hits.families.paper_figures import Paper
from hits.studies.models import Study

# Of many differences the page of the paper marks every one.
MOST_NAMED = 3


def differences(family: Family, *, paper: Paper, study: Study) -> list[SetupRow]:
    """Return the figures of the study that are not the paper's."""
    parts = parts_of(family, paper=paper, study=study)
    return [row for part in parts for row in part.rows() if row.differs]


def in_words(study: Study) -> str:
    """Say of each paper that the study was set up as in whether it still is; empty if there is none."""
    return " ".join(_sentences(study))


def _sentences(study: Study) -> Iterator[str]:
    for setup in PaperSetup.objects.filter(study=study).order_by("pk"):
        family = {one.key: one for one in families.registered()}.get(setup.family)
        if family is None or family.paper is None:
            continue
        found = differences(family, paper=family.paper, study=study)
        if not found:
            yield f"As in {family.paper.name}."
        else:
            figures = "1 figure" if len(found) == 1 else f"{len(found)} figures"
            named = "; ".join(row.difference_in_words for row in found[:MOST_NAMED])
            more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
            yield f"Differs from {family.paper.name} in {figures}: {named}{more}."
