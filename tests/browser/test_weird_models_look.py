"""Pages on which models meet weird images: benchmarks, questions made, words judged, partners picked."""

import pytest
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.services import benchmark_results, learned_match
from crowd.pictures.models import Picture
from crowd.whoops.judge.services.making_questions import go_on as make_waiting
from crowd.whoops.models import Image
from crowd.whoops.models.judged_items import Question
from crowd.whoops.review.services import natural_partners
from crowd.winogavil.demo.seeding import Seeded
from hits.studies.models import Study
from tests.browser.doors import log_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.benchmarks.making import asked, run
from tests.crowd.releases.studies import make_of, make_photo, release_of
from tests.crowd.whoops.making_results import Crowd, ask, cast
from tests.factories import NOW
from tests.scoring.fakes import make_rival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def judge(study: Study) -> None:
    images = list(Image.objects.filter(project__study=study))
    people = Crowd(images[0].project, people=3, right=1, seed=1).people
    for image in images:
        for variant in ("weird", "normal"):
            (option,) = ask(
                image, Question.Kind.IDENTIFY, offers=(("", variant == "weird"),), variant=variant
            )
            cast(option, [variant == "weird", True, variant == "weird"], people)


def test_models_meet_weird_images(
    visitor: Visitor, seeded: Seeded, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_fakes(monkeypatch)
    study = make_of("whoops", items=4)
    study.members.add(seeded.researcher.user)
    project = study.whoops
    judge(study)
    clip, speaker = make_rival("clip", kind="clip"), make_rival("blip", kind="speaker")
    reader, _ = make_rival("reader", kind="caption"), make_rival("tagger", kind="tagger")
    release = release_of(study, "whoops")
    log_in(visitor.page, seeded.researcher, sites=sites)

    def visit(name: str, address: str, *args: object) -> None:
        visitor.visit(name, f"{sites.public}{reverse(f'admin:{address}', args=args)}")

    for task, rival in {"identification": clip, "questions": speaker, "explanation": speaker}.items():
        of = benchmark_tasks.get("whoops", task)
        benchmark = benchmark_results.open_benchmark(release=release, task=of, now=NOW)
        asked(benchmark, rival)
        if task == "questions":
            visit("weird-choose-matcher", "benchmarks_match", benchmark.pk)
            by = seeded.researcher.user
            learned_match.choose_matcher(
                benchmark=benchmark, matcher=reader, matches_from=0.7, by=by, now=NOW
            )
        visit(f"weird-benchmark-{task}", "benchmarks_benchmark", benchmark.pk)
    run()

    for page in ("make_questions", "withdraw_answered", "take_words", "find_partners"):
        visit(f"weird-{page.replace('_', '-')}", f"whoops_{page}", project.pk)
    make_waiting(now=NOW)
    for _ in range(9):
        make_photo()
    Picture.objects.update(status=Picture.Status.FIT)
    natural_partners.search_partners(project=project, rival=clip, by=seeded.researcher.user, now=NOW)
    natural_partners.go_on()
    image = Image.objects.filter(project=project)[0]
    visit("weird-pick-partner", "whoops_image_do", image.pk, "partner")
    assert visitor.page.get_by_role("radio").count() == 8
    visit("weird-project", "whoops_project_change", project.pk)

    assert visitor.problems == {}
