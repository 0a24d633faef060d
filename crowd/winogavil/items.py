"""Associations from a researcher's file, and associations that are asked again."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.files import BETWEEN, COLUMNS, Line, read_lines, write_lines
from crowd.winogavil.models import Association, Place
from hits.common.uploads import file_help
from hits.common.uploads.file_problems import Problems
from hits.core.errors import InvalidItems
from hits.studies.models import Batch
from hits.work.models.items import Item
from hits.work.services.answers_needed import new_item

AT_ONCE = 500
FILE_HELP = file_help(
    COLUMNS,
    more="Name a picture by its key, or by its concept where only one picture of the pool has it.",
)
# Number of candidates in the example.
CANDIDATES = 5


@dataclass(frozen=True, kw_only=True)
class Row:
    """An association that may be made: its pictures exist, and the game allows it."""

    cue: str
    candidates: tuple[int, ...]
    chosen: frozenset[int]
    source: Association.Source = Association.Source.FILE


def read_rows(content: bytes) -> list[Row]:
    """Read the associations of a file. Raises InvalidItems that names every bad line."""
    problems = Problems(InvalidItems)
    lines = list(read_lines(content, problems=problems))
    pool = _find_pictures({name for line in lines for name in (*line.candidates, *line.chosen)})
    rows = {line.place: row for line in lines if (row := _read_row(line, pool=pool, problems=problems))}
    _refuse_repeats(rows, problems=problems)
    problems.refuse()
    return list(rows.values())


def add_rows(rows: Sequence[Row], *, batch: Batch) -> int:
    """Add associations to the batch; the caller holds the transaction."""
    for start in range(0, len(rows), AT_ONCE):
        _make([(row, None) for row in rows[start : start + AT_ONCE]], batch=batch)
    return len(rows)


def repeat_items(items: Sequence[Item], *, batch: Batch) -> int:
    """Ask associations again in this batch: the same cue, pictures and choice, without any result."""
    for start in range(0, len(items), AT_ONCE):
        some = items[start : start + AT_ONCE]
        found = Association.objects.filter(item__in=some).select_related("item").order_by("item_id")
        rows = [(_row_of(association), association.item) for association in found.prefetch_related("places")]
        _make(rows, batch=batch)
    return len(items)


def remove_items(*, batch: Batch) -> None:
    Association.objects.filter(item__batch=batch).delete()


def example_file() -> str:
    """Example of a file that could be uploaded as it is, of the pool's own pictures where it has enough."""
    once = Picture.objects.playable().values("concept").annotate(times=Count("pk")).filter(times=1)
    concepts = [
        concept
        for concept in once.order_by("concept").values_list("concept", flat=True)[:20]
        if concept and not set(concept) & set(f'{BETWEEN},;"\n\r\t')
    ]
    if len(concepts) < CANDIDATES:
        return write_lines()
    return write_lines((COLUMNS[0].example, concepts[:CANDIDATES], concepts[:2]))


def _make(rows: Sequence[tuple[Row, Item | None]], *, batch: Batch) -> None:
    pool = Picture.objects.only("key", "concept").in_bulk(
        sorted({picture for row, _ in rows for picture in row.candidates})
    )
    items = Item.objects.bulk_create(
        new_item(
            study=batch.study,
            batch=batch,
            task=batch.task,
            answers_needed=domain.ANSWERS_WANTED[batch.task],
            repeats=repeats,
            # The author of a word is never asked to solve it, not even when it is asked again.
            author_id=repeats.author_id if repeats else None,
        )
        for _, repeats in rows
    )
    associations = Association.objects.bulk_create(
        Association(
            item=item,
            source=row.source,
            cue=row.cue,
            set_key=domain.set_key(pool[picture].key for picture in row.candidates),
        )
        for item, (row, _) in zip(items, rows, strict=True)
    )
    Place.objects.bulk_create(
        Place(
            association=association,
            picture_id=picture,
            label=pool[picture].concept,
            position=position,
            chosen=picture in row.chosen,
        )
        for association, (row, _) in zip(associations, rows, strict=True)
        for position, picture in enumerate(row.candidates)
    )


def _row_of(association: Association) -> Row:
    """The association as a row; of its sources only the baseline stays itself when it is asked again."""
    is_baseline = association.source == Association.Source.SWOW
    places = list(association.places.all())
    return Row(
        source=Association.Source.SWOW if is_baseline else Association.Source.FILE,
        cue=association.cue,
        candidates=tuple(place.picture_id for place in places if place.picture_id),
        chosen=frozenset(place.picture_id for place in places if place.picture_id and place.chosen),
    )


def _find_pictures(names: set[str]) -> Mapping[str, list[Picture]]:
    """Pictures that may be shown, by key and by concept; several pictures may share a concept."""
    fit = Picture.objects.playable().only("pk", "key", "concept")
    found: defaultdict[str, list[Picture]] = defaultdict(list)
    for some in _in_parts(sorted(names)):
        for picture in fit.filter(key__in=some):
            found[picture.key] = [picture]
    for some in _in_parts(sorted(names - set(found))):
        for picture in fit.filter(concept__in=some):
            found[picture.concept].append(picture)
    return found


def _in_parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), AT_ONCE):
        yield names[start : start + AT_ONCE]


def _read_row(line: Line, *, pool: Mapping[str, list[Picture]], problems: Problems) -> Row | None:
    said = [
        words for name in dict.fromkeys((*line.candidates, *line.chosen)) if (words := _doubt(name, pool))
    ]
    for kind, names in (("candidates", line.candidates), ("chosen", line.chosen)):
        if len({_one(name, pool) for name in names}) < len(names) and not said:
            said.append(f"one of the {kind} is named twice.")
    try:
        domain.check_association(cue=line.cue, candidates=len(line.candidates), chosen=len(line.chosen))
    except ValueError as error:
        said.append(str(error))
    candidates = [_one(name, pool) for name in line.candidates]
    chosen = [_one(name, pool) for name in line.chosen]
    if not said and not set(chosen) <= set(candidates):
        said.append("every chosen picture must be one of the candidates.")
    for words in said:
        problems.say(f"{line.place}: {words}")
    if said:
        return None
    return Row(
        cue=line.cue,
        candidates=tuple(pk for pk in candidates if pk is not None),
        chosen=frozenset(pk for pk in chosen if pk is not None),
    )


def _doubt(name: str, pool: Mapping[str, list[Picture]]) -> str:
    """Reason why a name does not identify one picture; empty if it does."""
    if not name:
        return "a picture has no name: two separators stand side by side."
    found = pool.get(name, [])
    if not found:
        return f"the pool has no picture “{name}”."
    if len(found) > 1:
        keys = ", ".join(picture.key for picture in found[:3])
        return f"“{name}” is the concept of {len(found)} pictures. Use a key instead: {keys}."
    return ""


def _one(name: str, pool: Mapping[str, list[Picture]]) -> int | None:
    found = pool.get(name, [])
    return found[0].pk if len(found) == 1 else None


def _refuse_repeats(rows: Mapping[str, Row], *, problems: Problems) -> None:
    first: dict[tuple[str, frozenset[int], frozenset[int]], str] = {}
    for place, row in rows.items():
        same = (row.cue.casefold(), frozenset(row.candidates), row.chosen)
        if same in first:
            problems.say(f"{place}: it is the same as {first[same].lower()}.")
        first.setdefault(same, place)
