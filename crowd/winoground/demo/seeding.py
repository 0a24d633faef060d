"""The demo's start: examples and first questions with drawn pictures, a gate, and drafts."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from io import BytesIO
from random import Random
from typing import Any
from uuid import uuid4

from django.utils import timezone

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark
from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services.answer_files import add_answers
from crowd.benchmarks.services.benchmark_results import open_benchmark
from crowd.demo import scenes
from crowd.demo.demo_people import Cast
from crowd.pictures.files.single_uploads import read_upload
from crowd.pictures.models import Picture
from crowd.pictures.services.item_pictures import upload_picture
from crowd.releases.models import Release
from crowd.releases.services import release_states
from crowd.winoground.caption_benchmark import MatchCaptions
from crowd.winoground.domain import ONBOARDING, PLACES, VALIDATE
from crowd.winoground.models import Example, Project
from crowd.winoground.services.example_writing import SourcedPicture, WrittenExample, write_example
from crowd.winoground.services.first_questions import add_question
from hits.admin.projects.project_page import open_project
from hits.batches.services import drafting
from hits.studies.models import Batch
from qualifications.models import Gate
from qualifications.presets import PRESETS
from qualifications.services.gate_setup import add_gate, switch_gate

ANSWERS_WANTED = 3
WORLD = scenes.read_world(__file__)


def open_matching(cast: Cast) -> Project:
    project = open_project(Project, study=cast.study, answers_wanted=ANSWERS_WANTED)
    for row in WORLD["examples"]:
        _write(row, project=project, cast=cast)
    for row in WORLD["onboarding"]:
        add_question(
            project=project,
            picturing=partial(_upload, row["scene"], row["caption"], cast=cast),
            caption=row["caption"],
            is_match=row["is_match"],
        )
    return project


def open_gate(cast: Cast) -> Gate:
    preset = PRESETS[ONBOARDING]
    gate = Gate(
        study=cast.study,
        name=preset.name,
        description=preset.description,
        grading=preset.grading,
        rules=list(preset.rules),
        test_task=preset.test_task,
        opens=list(preset.opens),
        items=preset.items,
    )
    add_gate(gate=gate, by=cast.researcher.user, now=timezone.now())
    switch_gate(gate=gate, on=True, by=cast.researcher.user, now=timezone.now())
    return gate


def draft_test(cast: Cast, *, places: int) -> Batch:
    """Start a draft of one HIT without requirements: simulated workers have no past work and no country."""
    return drafting.start_draft(
        study=cast.study,
        account=cast.account,
        task=ONBOARDING,
        by=cast.researcher.user,
        assignments_per_hit=places,
        hits_wanted=1,
        requirements=[],
    )


def draft_matching(cast: Cast, *, questions: int, hits: int) -> Batch:
    return drafting.start_draft(
        study=cast.study,
        account=cast.account,
        task=VALIDATE,
        by=cast.researcher.user,
        items_per_assignment=questions,
        assignments_per_hit=1,
        hits_wanted=hits,
        requirements=[],
    )


def ask_for_release(project: Project, *, cast: Cast) -> Release:
    return release_states.make_release(
        study=project.study,
        family="winoground",
        title="Captions and images",
        version="1.0",
        licence=scenes.LICENCE,
        by=cast.researcher.user,
        now=timezone.now(),
    )


def add_models(release: Release, *, cast: Cast, seed: int) -> Benchmark:
    """Add a model that throws dice, and one that knows the words of a caption but not their order."""
    task = benchmark_tasks.get(MatchCaptions.family, MatchCaptions.key)
    benchmark = open_benchmark(release=release, task=task, now=timezone.now())
    lot = Random(f"{seed}:dice")  # noqa: S311
    names = [read.item.name for read in items_from(release, task)]
    dice = [dict(_row(name, lambda _caption, _image: lot.random())) for name in names]
    words = [dict(_row(name, lambda _caption, image: 0.5 + image / 10)) for name in names]
    for name, about, rows in (
        ("Dice", "Scores by lot: what chance looks like.", dice),
        ("Bag of words", "Gives both captions of an image the same score.", words),
    ):
        add_answers(
            benchmark=benchmark,
            name=name,
            about=about,
            file=BytesIO("\n".join(map(json.dumps, rows)).encode()),
            by=cast.researcher.user,
            now=timezone.now(),
        )
    return benchmark


def _row(name: str, score: Any) -> Iterator[tuple[str, Any]]:
    yield "example", name
    for caption, image in PLACES:
        yield f"c{caption}_i{image}", score(caption, image)


def _write(row: Mapping[str, Any], *, project: Project, cast: Cast) -> Example:
    written = WrittenExample(
        caption_0=row["captions"][0],
        caption_1=row["captions"][1],
        shown=(_show(row, 0, cast=cast), _show(row, 1, cast=cast)),
        swap=row["swap"],
        new_tags=row["tags"],
        predicates=row["predicates"],
        is_symbolic="is_symbolic" in row.get("visual", ()),
    )
    kept = write_example(
        project=project,
        by=cast.researcher.user,
        key=uuid4(),
        written=written,
        wants_ready=True,
        now=timezone.now(),
    )
    return kept.example


def _show(row: Mapping[str, Any], place: int, *, cast: Cast) -> SourcedPicture:
    return SourcedPicture(
        picture=_upload(row["scenes"][place], row["captions"][place], cast=cast),
        source=scenes.SOURCE,
        credit=scenes.CREDIT,
        licence=scenes.LICENCE,
    )


def _upload(scene: scenes.Scene, concept: str, *, cast: Cast) -> Picture:
    return upload_picture(
        upload=read_upload(scenes.draw(scene)),
        concept=concept,
        by=cast.researcher.user,
        source=scenes.SOURCE,
        credit=scenes.CREDIT,
        licence=scenes.LICENCE,
        now=timezone.now(),
    )
