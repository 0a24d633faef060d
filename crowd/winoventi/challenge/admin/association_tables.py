"""Tables of what models tie to the nouns: how alike two models are, and the commonest words of each."""

from collections.abc import Sequence

from crowd.winoventi.associations.queries.model_associations import (
    CommonWord,
    ModelAssociations,
    associations_by_model,
    commonest_words,
    widest_k,
)
from crowd.winoventi.challenge.queries.model_comparison import COMPARED_KS, likenesses
from crowd.winoventi.models import Project
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import SHARE, StatTable, head

# Words of each model on the page; files have all of them.
SHOWN_WORDS = 5
LIKENESSES = (
    head("Model", TEXT),
    head("Nouns"),
    *(head(f"k = {k}", NUMBER, digits=3) for k in COMPARED_KS),
    *(head(f"k = {k}, without empty rows", NUMBER, digits=3) for k in COMPARED_KS),
)
COMMON = (
    head("Model", TEXT),
    head("Word", TEXT),
    head("Nouns"),
    head("Of associations", name="of"),
    head("Share", SHARE),
)


def association_tables(project: Project) -> list[StatTable]:
    widest = widest_k(project)
    models = associations_by_model(project, ks={*COMPARED_KS, widest})
    return [_likenesses(project, models), _commonest(models, k=widest)]


def _likenesses(project: Project, models: Sequence[ModelAssociations]) -> StatTable:
    rows = [
        (
            str(one.rival),
            one.nouns,
            *(shares[k] for shares in (one.with_empty, one.without_empty) for k in COMPARED_KS),
        )
        for one in likenesses(project, models)
    ]
    own = project.generics_model or "the project's own model"
    return StatTable(
        name="jaccard",
        title="Associations of other models",
        columns=LIKENESSES,
        rows=rows,
        about=f"The mean Jaccard index of their generics with those of {own}. Where both find nothing they "
        "are all alike, or, without empty rows, the noun is left out.",
        empty="No other model has read the nouns. Ask one to.",
    )


def _commonest(models: Sequence[ModelAssociations], *, k: int) -> StatTable:
    by_model = list(commonest_words(models, k=k))
    return StatTable(
        name="commonest",
        title="Commonest associations of each model",
        columns=COMMON,
        rows=[_row(one) for words in by_model for one in words],
        page_rows=[_row(one) for words in by_model for one in words[:SHOWN_WORDS]],
        about=f"The words that a model ties to most nouns by the largest k, which is {k}, and their share of "
        f"all associations that this k finds with the model. The page shows {SHOWN_WORDS} words of each "
        "model, and the files show all.",
        empty="No model has found an association yet. Have one read the nouns.",
    )


def _row(one: CommonWord) -> Sequence[object]:
    return str(one.rival), one.word, one.nouns, one.all, one.share
