"""What each model ties to the nouns of a project: read from the stored readings, and counted."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

from crowd.winoventi.associations.domain.generics import generics_of
from crowd.winoventi.domain import KS
from crowd.winoventi.domain.prompts import Template
from crowd.winoventi.models import Project, Reading
from scoring.models import RegisteredRival

AT_ONCE = 2000
# A reading's words, each with its probability.
Words = list[list[Any]]
# Model, noun, template, words.
Row = tuple[int, int, str, Words]
# The generics of one k, by noun.
Generics = Mapping[int, set[str]]


@dataclass(frozen=True, kw_only=True)
class ModelAssociations:
    """The generics that each k finds with one model, by noun."""

    rival: RegisteredRival
    by_k: Mapping[int, Generics]


@dataclass(frozen=True, kw_only=True)
class CommonWord:
    """A word with the number of nouns that one model ties it to, out of all associations of the model."""

    rival: RegisteredRival
    word: str
    nouns: int
    all: int

    @property
    def share(self) -> Fraction:
        return Fraction(self.nouns, self.all)


def associations_by_model(project: Project, *, ks: Collection[int]) -> list[ModelAssociations]:
    """Associations of every model that has read nouns, the project's own model first. Two queries."""
    rows = Reading.objects.filter(noun__project=project).order_by("rival", "noun")
    values = rows.values_list("rival", "noun", "template", "words").iterator(chunk_size=AT_ONCE)
    found = {rival: _generics_by_k(some, ks=ks) for rival, some in groupby(values, key=itemgetter(0))}
    rivals = RegisteredRival.objects.filter(pk__in=found)
    in_order = sorted(rivals, key=lambda rival: (rival.pk != project.generics_model_id, rival.name))
    return [ModelAssociations(rival=rival, by_k=found[rival.pk]) for rival in in_order]


def commonest_words(models: Iterable[ModelAssociations], *, k: int) -> Iterator[list[CommonWord]]:
    """All words that each model ties to nouns by this k, the commonest first."""
    for model in models:
        times = Counter(word for words in model.by_k[k].values() for word in words)
        yield [
            CommonWord(rival=model.rival, word=word, nouns=count, all=times.total())
            for word, count in sorted(times.items(), key=lambda row: (-row[1], row[0]))
        ]


def generics_by_reader(
    project: Project, *, nouns: Collection[int], rivals: Collection[int]
) -> dict[tuple[int, int], set[str]]:
    """The generics that the project's largest k finds, by model and noun, for nouns that were read."""
    rows = Reading.objects.filter(noun__in=nouns, rival__in=rivals).order_by("rival", "noun")
    values = rows.values_list("rival", "noun", "template", "words")
    widest = widest_k(project)
    return {
        (rival, noun): words
        for rival, some in groupby(values, key=itemgetter(0))
        for noun, words in _generics_by_k(some, ks=[widest])[widest].items()
    }


def widest_k(project: Project) -> int:
    return max(project.ks, default=max(KS))


def _generics_by_k(rows: Iterable[Row], *, ks: Collection[int]) -> dict[int, Generics]:
    """The generics of one model, whose readings these are."""
    read: defaultdict[int, dict[Template, list[str]]] = defaultdict(dict)
    for _, noun, template, words in rows:
        read[noun][Template(template)] = [word for word, _ in words]
    return {k: {noun: set(generics_of(found, ks=[k])) for noun, found in read.items()} for k in ks}
