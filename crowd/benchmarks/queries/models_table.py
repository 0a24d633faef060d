"""What is known of the models of a benchmark, as papers tell it: size, pretraining, and what for."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from crowd.benchmarks.models import Result
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import StatTable, head
from scoring.models.model_facts import FACTS, ModelFacts

MILLION = 10**6
COUNTED = {
    "parameters": "Parameters",
    "pretraining_images": "Pretraining images",
    "pretraining_captions": "Pretraining captions",
}
COLUMNS = (
    head("Model", TEXT),
    head("Kind, or source", TEXT, name="kind"),
    *(
        head(f"{title} (millions)", NUMBER, name=f"{name}_millions", digits=2)
        for name, title in COUNTED.items()
    ),
    head("Trained for", TEXT),
)


def models_table(results: Sequence[Result]) -> Iterator[StatTable]:
    """Yield the table, or none where nothing is known of any model."""
    models = [result for result in results if result.is_of_model]
    if any(result.facts.has_facts for result in models):
        yield StatTable(
            name="models",
            title="The models",
            columns=COLUMNS,
            rows=[_row(result) for result in models],
            about="Parameters of registered models are counted here; the rest is what people say of them. "
            "What a part of a model had learned before, such as a text encoder, is not counted.",
            exact=True,
        )


def facts_in_words(facts: ModelFacts) -> list[tuple[str, str]]:
    """Return what is known, by its name on pages."""
    found = [(name, getattr(facts, name)) for name in FACTS]
    return [
        (COUNTED.get(name, "Trained for"), f"{value:,}" if name in COUNTED else value)
        for name, value in found
        if value not in (None, "")
    ]


def _row(result: Result) -> Sequence[str | Decimal | None]:
    facts = result.facts
    source = result.rival.get_kind_display() if result.rival else result.get_source_display()
    return (result.name, source, *(_millions(getattr(facts, name)) for name in COUNTED), facts.trained_for)


def _millions(count: int | None) -> Decimal | None:
    return None if count is None else Decimal(count) / MILLION
