"""What the paper of a family says of its work, as plain values, each with the place that says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from hits.studies.models import Study

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Figure(Generic[T]):
    """A value that the paper states, and where: a section, an appendix, a figure."""

    value: T
    origin: str
    # False: the product's own, where the paper names no figure. It is offered, and never a difference.
    is_papers: bool = True


@dataclass(frozen=True, kw_only=True)
class FigureElsewhere(Figure[str]):
    """What the paper states of its work, in words, where another page of the product sets it."""

    where: str
    page: Callable[[Study], str] | None = None


@dataclass(frozen=True, kw_only=True)
class PaperTerms:
    """Terms that the paper states for the work of one task. None: it states none."""

    task: str
    reward: Figure[Decimal] | None = None
    workers_per_hit: Figure[int] | None = None
    items_each: Figure[int] | None = None
    duration_s: Figure[int] | None = None

    @property
    def figures(self) -> Mapping[str, Figure[Any]]:
        """The terms that it states, by their name in `hits.families.Terms`."""
        found = {name: getattr(self, name) for name in TERMS}
        return {name: figure for name, figure in found.items() if figure is not None}


TERMS = ("reward", "workers_per_hit", "items_each", "duration_s")


@dataclass(frozen=True, kw_only=True)
class PaperGate:
    """A gate that the paper describes, by the key of its preset, which holds the figures."""

    preset: str
    origin: str


@dataclass(frozen=True, kw_only=True)
class PaperRival:
    """The model of the paper: how a registered one is recognized, and how it gets here."""

    in_words: str
    kind: str
    # Empty: the paper names none, and each of the kind is as in the paper.
    models: Sequence[str] = ()
    # Where the weights must have come from; empty where the model's name says it.
    source: str = ""
    # The name under which `command` registers it.
    name: str
    command: str
    origin: str
    # The fields of the family's project that hold it. None of them: studies play against it.
    settings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Paper:
    # The family whose paper it is.
    key: str
    name: str
    title: str
    bonus_table: Figure[Sequence[Mapping[str, Any]]] | None = None
    # Where else a part of a rule is stated, by the name of the part, such as “when”.
    bonus_origins: Mapping[str, str] = field(default_factory=dict)
    rival: PaperRival | None = None
    tagger: PaperRival | None = None
    # What it asks of workers, each as the Requester API takes it, and of whose workers.
    requirements: Sequence[Figure[Mapping[str, Any]]] = ()
    required_of: Sequence[str] = ()
    # Where it asks for people who speak English; None: it does not.
    english_speakers: Figure[bool] | None = None
    terms: Sequence[PaperTerms] = ()
    gates: Sequence[PaperGate] = ()
    # The settings of the family's project that it states, by field.
    settings: Mapping[str, Figure[Any]] = field(default_factory=dict)
    # What every study starts with as the paper says; some of it can be changed on a page of its own.
    built_in: Sequence[Figure[str]] = ()
    # What the paper states and a set-up does not put in place, for another page does.
    elsewhere: Sequence[FigureElsewhere] = ()
    # What the paper does not say: there the product's own start stays.
    silences: Sequence[str] = ()

    def place(self, origin: str) -> str:
        return f"{self.name}, {origin}"


_papers: dict[str, Paper] = {}


def register(paper: Paper) -> None:
    """Register a family's paper. Called from an AppConfig.ready."""
    _papers[paper.key] = paper


def registered() -> Mapping[str, Paper]:
    return dict(_papers)


def paper_of(task: str) -> Paper | None:
    """Return the paper that states something of this task's work, if any."""
    for paper in _papers.values():
        if task in paper.required_of or any(terms.task == task for terms in paper.terms):
            return paper
    return None
