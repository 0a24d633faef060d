"""Recorded pairs: the nouns, and the generics as they were posted."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db.models import Max

from crowd.winoventi.models import Generic, Noun, Project
from hits.common.uploads.row_reader import Row
from hits.core.errors import InvalidItems

Place = tuple[int, int]


def place_of(row: Row) -> Place:
    """The place of a posted row: its k and its rank."""
    return int(row.cells["k"]), int(row.cells["rank"])


def known_generics(rows: Sequence[Row], *, project: Project) -> dict[Place, Generic]:
    """Generics by place. Raises InvalidItems where the project has something else there."""
    places = {place_of(row): row for row in rows}
    found = Generic.objects.filter(project=project, rank__in={rank for _, rank in places})
    posted = found.filter(state__in=Generic.POSTED_ONES).select_related("noun", "worker")
    known = {(one.k, one.rank or 0): one for one in posted if (one.k, one.rank) in places}
    others = [
        str(one)
        for place, one in known.items()
        if (one.noun.word, one.word) != (places[place].cells["noun"], places[place].cells["generic"])
    ]
    if others:
        words = f"The study has other pairs at the places of this recording: {', '.join(others[:5])}"
        raise InvalidItems([f"{words} Replay it into a study of its own."])
    return known


def post_recorded(rows: Sequence[Row], *, project: Project) -> list[Generic]:
    """Post generics as they were posted elsewhere. A noun that has the generic already is a homonym."""
    nouns = _Nouns({row.cells["noun"] for row in rows}, project=project)
    generics = [_generic(row, noun=nouns.take(row.cells["noun"], row.cells["generic"])) for row in rows]
    nouns.save()
    return Generic.objects.bulk_create(generics)


class _Nouns:
    """The project's nouns of these words, and the generics that are tied to each already."""

    def __init__(self, words: Collection[str], *, project: Project) -> None:
        self._project = project
        self._last = project.nouns.aggregate(last=Max("number"))["last"] or 0
        self._made: list[Noun] = []
        self._rows: defaultdict[str, list[tuple[Noun, set[str]]]] = defaultdict(list)
        rows = project.nouns.filter(word__in=words).prefetch_related("generics").order_by("number")
        for noun in rows:
            self._rows[noun.word].append((noun, {one.word for one in noun.generics.all()}))

    def take(self, word: str, generic: str) -> Noun:
        for noun, tied in self._rows[word]:
            if generic not in tied:
                tied.add(generic)
                return noun
        self._last += 1
        noun = Noun(project=self._project, number=self._last, word=word)
        self._rows[word].append((noun, {generic}))
        self._made.append(noun)
        return noun

    def save(self) -> None:
        Noun.objects.bulk_create(self._made)


def _generic(row: Row, *, noun: Noun) -> Generic:
    k, rank = place_of(row)
    return Generic(
        project_id=noun.project_id,
        noun=noun,
        word=row.cells["generic"],
        k=k,
        rank=rank,
        perplexity=float(row.cells["perplexity"]),
        state=Generic.State.POSTED,
    )
