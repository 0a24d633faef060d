"""A card for each task in which people judge weird images."""

from collections.abc import Iterator, Mapping, Sequence

from django.db.models import Sum

from crowd.whoops import domain
from crowd.whoops.images.admin.addresses import page_url
from crowd.whoops.judge.admin.question_list import questions_url
from crowd.whoops.judge.queries.questions import KindTally, Standing, count_kinds, that_count, unexplained
from crowd.whoops.judge.services.verification_sample import waiting_for_sample
from crowd.whoops.judge.services.weird_normal_pairs import undrawn, unpaired
from crowd.whoops.models import Project, QuestionMaking
from crowd.whoops.models.judged_items import Option, Question
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.common.count_together import count_together
from hits.identity.models.users import User

ADD = "whoops.add_question"
SEED_HELP = "The same seed makes the same draw. Write it down with your results."
Kind = Question.Kind
Kinds = Mapping[str, KindTally]


def judging_cards(project: Project, user: User) -> Iterator[Card]:
    """Yield the cards of all kinds of questions, which are counted together."""
    kinds = count_kinds(project)
    for card in (_identify_card, _explanations_card, _answers_card, _captions_card):
        yield card(project, user, kinds)


def _identify_card(project: Project, user: User, kinds: Kinds) -> Card:
    counts = count_together(
        pairs=that_count(project, kind=Kind.IDENTIFY, variant=Question.Variant.WEIRD),
        undrawn=undrawn(project),
        unpaired=unpaired(project),
    )
    todo = ""
    if counts["undrawn"] and not counts["pairs"]:
        todo = f"Draw images: this many have a normal partner: {counts['undrawn']}."
    return _card(
        project,
        user,
        kinds,
        kind=Kind.IDENTIFY,
        title="Weird or normal",
        about=f"{project.judges_wanted} people say of each weird image and of its normal partner whether it "
        "is weird. Nobody sees both, nor an image that they know from another task.",
        figures=[
            Metric(name="Pairs of images", count=counts["pairs"]),
            Metric(name="Accepted images without a normal partner", count=counts["unpaired"]),
        ],
        ways=[CardLink(name="Draw images…", url=page_url("pairs", project), is_first=bool(todo))],
        todo=todo,
    )


def _explanations_card(project: Project, user: User, kinds: Kinds) -> Card:
    options = Option.objects.filter(question__project=project, question__kind=Kind.EXPLAIN)
    counts = count_together(
        lacking=unexplained(project),
        people=options.filter(source=domain.PEOPLE),
        models=options.exclude(source__in=domain.OURS),
    )
    lacking = counts["lacking"]
    return _card(
        project,
        user,
        kinds,
        kind=Kind.EXPLAIN,
        title="Explanations",
        about=f"{project.judges_wanted} people mark every acceptable explanation of an image: of annotators, "
        "of the designer, and of models, in no order and without a name.",
        figures=[
            Metric(name="Explanations of annotators", count=counts["people"]),
            Metric(name="Explanations of models", count=counts["models"]),
        ],
        ways=[
            CardLink(name="Make lists…", url=page_url("lists", project), is_first=bool(lacking)),
            CardLink(name="Have a model's words judged…", url=page_url("take_words", project)),
            _import_way(project, Kind.EXPLAIN, "Import models' explanations…"),
        ],
        todo=f"Make lists: this many images have all their annotations: {lacking}." if lacking else "",
    )


def _answers_card(project: Project, user: User, kinds: Kinds) -> Card:
    counts = count_together(
        wrong=that_count(project, kind=Kind.VERIFY, options__label=False),
        samples=project.samples.all(),
        waiting=waiting_for_sample(project),
    )
    # Those that are left beside a sample may wait for good: the paper verifies one sample.
    waiting = 0 if counts["samples"] else counts["waiting"]
    todo = f"Draw a sample: this many questions wait for one: {waiting}." if waiting else ""
    return _card(
        project,
        user,
        kinds,
        kind=Kind.VERIFY,
        title="Questions and answers",
        about=f"{project.judges_wanted} people say whether the answer to a question about an image is right. "
        f"{project.negatives} % are wrong on purpose, and no page tells which.{_wait(project)}",
        figures=[Metric(name="Wrong on purpose", count=counts["wrong"]), *_making(project)],
        ways=[
            CardLink(name="Make questions of captions…", url=page_url("make_questions", project)),
            _import_way(project, Kind.VERIFY, "Import questions and answers…"),
            CardLink(name="Withdraw what needs no image…", url=page_url("withdraw_answered", project)),
            CardLink(name="Samples for verification", url=page_url("samples", project), is_first=bool(todo)),
        ],
        todo=todo,
    )


def _making(project: Project) -> list[Metric]:
    makings = QuestionMaking.objects.filter(project=project)
    counted = makings.aggregate(made=Sum("made"), left_out=Sum("disagreed"))
    names = {"made": "Made of captions", "left_out": "Left out, since captions differ"}
    return [Metric(name=names[key], count=count) for key, count in counted.items() if count]


def _wait(project: Project) -> str:
    """Say that questions are being made, and what that waits for."""
    making = QuestionMaking.objects.filter(project=project, status=QuestionMaking.Status.OPEN).first()
    return f" Questions are being made of captions. {making.problem}" if making else ""


def _captions_card(project: Project, user: User, kinds: Kinds) -> Card:
    return _card(
        project,
        user,
        kinds,
        kind=Kind.RATE,
        title="Captions",
        about=f"{project.judges_wanted} people say whether a caption is right for a weird image, or for its "
        "normal or natural partner.",
        ways=[_import_way(project, Kind.RATE, "Import captions…")],
    )


def card_key(kind: str) -> str:
    """The kind's short name: “captions” for “whoops.captions”."""
    return kind.removeprefix("whoops.")


def _card(
    project: Project,
    user: User,
    kinds: Kinds,
    *,
    kind: str,
    title: str,
    about: str,
    ways: Sequence[CardLink],
    figures: Sequence[Metric] = (),
    todo: str = "",
) -> Card:
    counted = kinds[kind]
    listed = [CardLink(name="Questions", url=questions_url(project, kind=kind))] if counted.of else []
    return Card(
        key=card_key(kind),
        title=title,
        about=about,
        stage=_judged(project, kind, counted),
        metrics=[*figures, *_figures(project, kind, counted)],
        links=[*(ways if user.has_perm(ADD) else ()), *listed],
        next=todo,
        tasks=[kind],
    )


def _judged(project: Project, kind: str, counted: KindTally) -> Metric:
    return Metric(
        name="Questions with all their judges",
        count=counted[Standing.JUDGED],
        of=counted.all - counted[Standing.WAITING],
        url=questions_url(project, kind=kind, standing=Standing.JUDGED),
    )


def _figures(project: Project, kind: str, counted: KindTally) -> list[Metric]:
    rare = [
        Metric(
            name=name,
            count=counted[standing],
            url=questions_url(project, kind=kind, standing=standing),
        )
        for name, standing in (
            ("Not asked yet", Standing.WAITING),
            ("Image is away", Standing.AWAY),
            ("Withdrawn", Standing.WITHDRAWN),
        )
        if counted[standing]
    ]
    return [_judged(project, kind, counted), *rare]


def _import_way(project: Project, kind: str, name: str) -> CardLink:
    return CardLink(name=name, url=page_url("import", project, card_key(kind)))
