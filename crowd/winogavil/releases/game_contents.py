"""What a release of the association game has: associations, those of the SWOW baseline apart."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.template.loader import render_to_string

from crowd.pictures.models import Picture
from crowd.releases.family_contents import (
    ExamplePicture,
    NamedPicture,
    ReleaseContents,
    ReleaseExample,
    ReleaseFile,
)
from crowd.releases.models import Release
from crowd.releases.services.card import table
from crowd.winogavil.models import Association
from crowd.winogavil.queries import BY_CHOICE, threshold_of
from crowd.winogavil.releases.columns import ANNOTATED, FULL, PUBLISHED, SIDES
from crowd.winogavil.releases.domain import GROUPS
from crowd.winogavil.releases.origins import BASELINE, holds_baseline, holds_game
from crowd.winogavil.releases.services import frozen_rows
from hits.datasets.columns import Column, Row
from hits.datasets.text_formats import changes_in_csv
from hits.studies.models import Study

# What would tell the answer: the author's choice, and whatever was compared with it.
LABELS = ("associations", "score_fool_the_ai")
# What an example says of a picture that the author chose.
MEANT = "meant by the word"
ANSWERS = ("author", "solvers", "verdicts", "pictures/chosen", "pictures/predicted", "types", "skills")
SOURCES: Mapping[str, str] = {
    Association.Source.FILE: "made by the researchers, from a file",
    Association.Source.WORKER: "made by paid workers",
    Association.Source.PLAYER: "made by unpaid players of the web game, who agreed when they registered",
    Association.Source.RECORDED: "recorded elsewhere and replayed here",
    Association.Source.TEST: "made by people in the test that lets them make more",
    BASELINE: "the SWOW baseline: drawn from an association list, invented by nobody",
}


def _is_of_game(row: Row) -> bool:
    return bool(row["selected"]) and row["source"] != BASELINE


def _is_of_baseline(row: Row) -> bool:
    return bool(row["selected"]) and row["source"] == BASELINE


def _file(name: str, words: str, **more: Any) -> ReleaseFile:
    return ReleaseFile(
        **{"columns": PUBLISHED, "labels": LABELS, **more}, name=name, words=words, part="full", item="ID"
    )


GAME_FILE = _file("associations", "The published form: what people solve", wanted=_is_of_game)
BASELINE_FILE = _file("swow", "The same for instances of the SWOW baseline", wanted=_is_of_baseline)
FULL_FILE = _file("full", "These, and where each row comes from", columns=FULL, labels=(*LABELS, *ANSWERS))
# Of releases that were made before these columns were a part of them.
EARLIER_FILE = replace(FULL_FILE, columns=[one for one in FULL if one not in (*ANNOTATED, *SIDES)])


class GameContents(ReleaseContents):
    family: ClassVar[str] = "winogavil"
    items: ClassVar[str] = "associations"
    sources: ClassVar[Sequence[tuple[str, str]]] = Association.Source.choices
    first_sources: ClassVar[Sequence[str]] = [
        source for source in Association.Source.values if source not in BY_CHOICE
    ]
    has_threshold: ClassVar[bool] = True
    tasks: ClassVar[Sequence[str]] = ("visual-question-answering", "zero-shot-image-classification")
    rest_label: ClassVar[str] = "Include what people did not solve, in the full form"
    sources_help: ClassVar[str] = (
        "Players agreed to the use of their data when they registered. Releasing their words is your choice, "
        "and so is releasing words that people made to qualify. The SWOW baseline gets files and a column of "
        "its own: check first whether the license of the list allows it."
    )

    def complete(self, release: Release) -> None:
        """Give it the study's selection threshold, as it is now, unless it has its own."""
        if release.selection_threshold is None:
            release.selection_threshold = threshold_of(release.study)

    def lack(self, release: Release) -> str:
        if frozen_rows.belonging(release).exists():
            return ""
        return "Nothing of these sources is final yet: there is nothing to release."

    def begin(self, release: Release) -> None:
        frozen_rows.begin(release)

    def freeze_some(self, release: Release) -> bool:
        return frozen_rows.freeze_some(release)

    def files(self, release: Release) -> Sequence[ReleaseFile]:
        """The game's associations and the baseline's, each only where the release is to hold it."""
        published = [
            file
            for file, held in ((GAME_FILE, holds_game(release)), (BASELINE_FILE, holds_baseline(release)))
            if held
        ]
        is_earlier = bool(release.counts) and "annotated" not in release.counts
        return [*published, EARLIER_FILE if is_earlier else FULL_FILE]

    def pictures_of(self, row: Row) -> Iterator[NamedPicture]:
        told = ("name", "sha256", "licence", "credit", "source")
        shown = (*row["pictures"], *row.get("cue_picture", ()))
        return (NamedPicture(**{key: one[key] for key in told}) for one in shown)

    def example(self, row: Row) -> ReleaseExample:
        pictures = [
            ExamplePicture(name=one["name"], sha256=one["sha256"], mark=MEANT if one["chosen"] else "")
            for one in row["pictures"]
        ]
        return ReleaseExample(words=row["cue"], pictures=pictures)

    def pictures_in(self, study: Study) -> QuerySet[Picture]:
        shown = study.items.filter(association__isnull=False).values("association__places__picture")
        return Picture.objects.filter(pk__in=shown)

    def count(self, release: Release, rows: Iterable[Row]) -> dict[str, Any]:
        return count_rows(rows, columns=self.files(release)[-1].columns)

    def card(self, release: Release) -> str:
        counts = release.counts
        game, baseline = counts["shapes"], counts["baseline_shapes"]
        context = {
            "release": release,
            "counts": counts,
            "rest": counts["rows"] - counts["selected"],
            "game": sum(items for *_, items in game),
            "groups": table(("candidates", "associations"), _groups(game)),
            "shapes": table(("candidates", "chosen", "associations"), game),
            "baseline": sum(items for *_, items in baseline),
            "baseline_shapes": table(("candidates", "belong to the word", "instances"), baseline),
            "has_game": holds_game(release),
            "has_baseline": holds_baseline(release),
            "sources": table(
                ("source", "rows"), ((SOURCES[name], n) for name, n in counts["sources"].items())
            ),
            "rivals": counts["rivals"]
            and table(("name", "model", "SHA-256 of its weights", "rows"), counts["rivals"]),
        }
        return render_to_string("winogavil_releases/card.md", context)


def count_rows(rows: Iterable[Row], *, columns: Sequence[Column] = FULL) -> dict[str, Any]:
    """Numbers for the card, counted in one pass."""
    shapes: dict[bool, Counter[tuple[int, int]]] = {False: Counter(), True: Counter()}
    sources: Counter[str] = Counter()
    rivals: Counter[tuple[str, str, str]] = Counter()
    people: tuple[set[str], set[str]] = (set(), set())
    counts = Counter[str]()
    for row in rows:
        counts["rows"] += 1
        counts["unscored"] += row["selected"] and row["score_fool_the_ai"] is None
        counts["guarded"] += changes_in_csv(columns, row)
        counts["selected"] += row["selected"]
        counts["cue_pictures"] += row["selected"] and bool(row.get("cue_picture"))
        counts["annotated"] += any(row.get("types", ())) or row.get("skills") is not None
        shapes[row["source"] == BASELINE][row["num_candidates"], row["num_associations"]] += row["selected"]
        sources[row["source"]] += 1
        people[0].update({row["author"]} - {None})
        people[1].update(one["solver"] for one in row["solvers"])
        rivals.update(
            (one["rival"], one["model"], one["weights_sha256"]) for one in row["verdicts"] if one["paid_on"]
        )
    return {
        "rows": counts["rows"],
        "selected": counts["selected"],
        "unscored": counts["unscored"],
        "guarded": counts["guarded"],
        "annotated": counts["annotated"],
        "cue_pictures": counts["cue_pictures"],
        "shapes": _listed(shapes[False]),
        "baseline_shapes": _listed(shapes[True]),
        "sources": dict(sorted(sources.items())),
        "creators": len(people[0]),
        "solvers": len(people[1]),
        "rivals": [[*key, number] for key, number in rivals.most_common()],
    }


def _groups(shapes: Sequence[Sequence[int]]) -> Iterable[tuple[str, int]]:
    for name, sizes in GROUPS.items():
        yield name, sum(items for size, _, items in shapes if size in sizes)


def _listed(shapes: Counter[tuple[int, int]]) -> list[list[int]]:
    return [[*shape, items] for shape, items in sorted(shapes.items()) if items]
