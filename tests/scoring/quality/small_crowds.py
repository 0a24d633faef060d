"""Labels as tests write them down."""

from typing import Any

from scoring.quality.judged_labels import Label, Labels, make_labels


def labels_of(*rows: tuple[Any, ...], **more: Any) -> Labels:
    return make_labels((Label(*row) for row in rows), **more)


def place_of(labels: Labels, worker: str) -> int:
    return list(labels.workers).index(worker)
