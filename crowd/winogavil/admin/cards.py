"""Cards on the page of a study's association game, one for each part of the work."""

from bisect import bisect
from collections import Counter
from collections.abc import Collection, Mapping
from urllib.parse import urlencode

from django.db.models import Count, Q
from django.template.defaultfilters import pluralize
from django.urls import reverse

from crowd.pictures.admin.pool_parts import CHECK, IMPORT
from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.models import Association, CueReport, Game, PictureSet
from crowd.winogavil.queries import of_study, reaches
from crowd.winogavil.queries.associations import APART
from hits.admin.projects.project_cards import Card, CardLink, CardOf, Metric
from hits.core.domain.counted_nouns import plural
from hits.identity.models.users import User

# Packages above this one add cards too: by place, since any of them may be loaded first.
CARDS: list[CardOf] = []
_places: list[int] = []
SEE = "pictures.view_picture"
OWN = [source for source in Association.Source.values if source not in APART]
COUNTS = "_counts_by_source"
READY = Q(item__wanted__gt=0, item__pulled_at=None)
OUT_OF_USE = Q(item__wanted__gt=0, item__pulled_at__isnull=False)


def pictures_card(game: Game, user: User) -> Card:
    pool = Picture.objects.filter(in_pool=True).aggregate(
        all=Count("pk"),
        fit=Count("pk", filter=Q(status=Picture.Status.FIT)),
        unchecked=Count("pk", filter=Q(status=Picture.Status.WAITING)),
    )
    links = [
        CardLink(
            name="Bring pictures in…",
            url=reverse("admin:pictures_import_add"),
            is_first=not pool["all"],
            permission=IMPORT,
        ),
        CardLink(
            name="Check pictures…",
            url=reverse("admin:pictures_check"),
            permission=CHECK,
            is_first=bool(pool["unchecked"]) and not pool["fit"],
        ),
        CardLink(
            name="Pictures",
            url=reverse("admin:pictures_gallery"),
            permission=SEE,
        ),
    ]
    return Card(
        key="pictures",
        title="Pictures",
        about="The pool that all studies share. Pictures that a person has found fit are drawn into sets.",
        metrics=[
            Metric(name="Fit", count=pool["fit"], of=pool["all"]),
            Metric(name="Pictures that wait to be checked", count=pool["unchecked"]),
        ],
        links=links,
        stage=Metric(name="Fit", count=pool["fit"]),
        next=_next_of_pictures(pool),
        permission=SEE,
    )


def sets_card(game: Game, user: User) -> Card:
    counts = PictureSet.objects.filter(item__study=game.study_id).aggregate(
        all=Count("pk"),
        waiting=Count("pk", filter=READY),
        out=Count("pk", filter=OUT_OF_USE),
    )
    enough = counts["all"] - counts["waiting"] - counts["out"]
    draw = CardLink(
        name="Draw picture sets…",
        url=f"{reverse('admin:winogavil_draw')}?{urlencode({'study': game.study_id})}",
        is_first=not counts["waiting"],
        permission="winogavil.add_pictureset",
    )
    see = CardLink(
        name="Picture sets", url=list_of("pictureset", game), permission="winogavil.view_pictureset"
    )
    return Card(
        key="sets",
        title="Picture sets",
        about="Spymasters find words for sets of pictures of the pool, each set until it has enough words.",
        metrics=[
            Metric(name="Picture sets", count=counts["all"]),
            Metric(name="Picture sets that still need words", count=counts["waiting"]),
        ],
        links=[draw, see, *_decide_about_letters(counts["out"])],
        stage=Metric(name="With enough words", count=enough, of=counts["all"]),
        problems=_out_of_use(counts["out"]),
        next=" ".join(_out_of_use(counts["out"])) or _next_of_sets(game, counts["all"]),
        tasks=(domain.CREATE,),
    )


def solving_card(game: Game, user: User) -> Card:
    counts = _counted(game)
    see = CardLink(
        name="Associations", url=list_of("association", game), permission="winogavil.view_association"
    )
    return Card(
        key="solving",
        title="Solving",
        about=f"{domain.SOLVERS_WANTED} people solve each association. It is selected if the mean of their "
        f"Jaccard indices is at least {game.selection_threshold} %.",
        stage=Metric(name="Final associations", count=counts["final"], of=counts["all"]),
        metrics=[
            Metric(name="Associations", count=counts["all"]),
            Metric(name="Final", count=counts["final"], of=counts["all"]),
            Metric(name="Selected", count=counts["selected"]),
        ],
        links=[see],
        problems=[f"Solving did not grow by itself: {game.problem}"] if game.problem else [],
        note="" if game.solve_batch_id else "No batch is chosen in the settings to grow with what is made.",
        tasks=(domain.SOLVE,),
    )


def baseline_card(game: Game, user: User) -> Card:
    counts = _counted(game, sources=[Association.Source.SWOW])
    make = CardLink(
        name="Make the SWOW baseline…",
        url=f"{reverse('admin:winogavil_make_baseline')}?{urlencode({'study': game.study_id})}",
        permission="hits.change_batch",
    )
    see = CardLink(
        name="See it",
        url=f"{list_of('association', game)}&{urlencode({'source__exact': Association.Source.SWOW})}",
        permission="winogavil.view_association",
    )
    return Card(
        key="baseline",
        title="SWOW baseline",
        about="Words of an association list with what people said to them, to compare the game with. A batch "
        "solves them like any other; no figure mixes them with the game's.",
        metrics=[
            Metric(name="Instances", count=counts["all"]),
            Metric(name="Final", count=counts["final"], of=counts["all"]),
            Metric(name="Selected", count=counts["selected"]),
        ],
        links=[make, see] if counts["all"] else [make],
    )


def tests_card(game: Game, user: User) -> Card:
    query = urlencode({"study": game.study_id})
    make = CardLink(
        name="Questions for the solver's test…",
        url=f"{reverse('admin:winogavil_make_test')}?{query}",
        permission="hits.change_batch",
    )
    return Card(
        key="tests",
        title="Tests of workers",
        about="Solvers and creators are tested first if the study has gates for that.",
        links=[make],
        tasks=(domain.SOLVER_TEST, domain.CREATOR_TEST),
    )


def reports_card(game: Game, user: User) -> Card:
    reports = CueReport.objects.filter(association__item__study=game.study_id)
    waiting = reports.filter(status=CueReport.Status.OPEN).count()
    see = CardLink(name="See the reports", url=reverse("admin:winogavil_cuereport_changelist"))
    return Card(
        key="reports",
        title="Reported words",
        about="A reported word is not asked about until a person has decided on the report.",
        metrics=[Metric(name="Reports that wait for a person", count=waiting)],
        links=[see],
        next=f"Reports wait to be decided: {waiting}." if waiting else "",
        permission="winogavil.view_cuereport",
    )


def add_card(card: CardOf, *, place: int) -> None:
    """Add a card; the lowest place comes first, and the game's own cards have places below ten."""
    at = bisect(_places, place)
    _places.insert(at, place)
    CARDS.insert(at, card)


for number, own in enumerate(
    [pictures_card, sets_card, solving_card, baseline_card, tests_card, reports_card]
):
    add_card(own, place=number)


def list_of(name: str, game: Game) -> str:
    """Address of an admin list, filtered by the study of this game."""
    query = urlencode({"item__study__id__exact": game.study_id})
    return f"{reverse(f'admin:winogavil_{name}_changelist')}?{query}"


def _counted(game: Game, *, sources: Collection[str] = OWN) -> Counter[str]:
    """Associations of these sources: all, final and selected. One query counts them for all cards."""
    if COUNTS not in game.__dict__:
        game.__dict__[COUNTS] = _counts_by_source(game)
    by_source: Mapping[str, Counter[str]] = game.__dict__[COUNTS]
    return sum((by_source[source] for source in sources if source in by_source), Counter())


def _counts_by_source(game: Game) -> dict[str, Counter[str]]:
    done = Q(final_at__isnull=False, item__pulled_at=None)
    found = (
        of_study(game.study, sources=Association.Source.values)
        .order_by()
        .values_list("source")
        .annotate(
            all=Count("pk"),
            final=Count("pk", filter=done),
            selected=Count("pk", filter=done & reaches(game.selection_threshold)),
        )
    )
    return {
        source: Counter(all=every, final=final, selected=selected) for source, every, final, selected in found
    }


def _next_of_pictures(pool: Mapping[str, int]) -> str:
    if not pool["all"]:
        return "Bring pictures into the pool."
    if not pool["fit"] and pool["unchecked"]:
        return f"Check the pictures: this many wait for a person: {pool['unchecked']}."
    return ""


def _out_of_use(sets: int) -> list[str]:
    unfit = Picture.objects.undecided().count() if sets else 0
    letters = f" Letters were found on {plural(unfit, 'picture')}: decide about them." if unfit else ""
    needs, are = pluralize(sets, "needs,need"), pluralize(sets, "is,are")
    why = f"{plural(sets, 'set')} that still {needs} words {are} out of use, because a picture is away."
    return [f"{why}{letters}"] if sets else []


def _decide_about_letters(sets: int) -> list[CardLink]:
    address = f"{reverse('admin:pictures_picture_changelist')}?flag=undecided"
    link = CardLink(name="Decide about letters on pictures…", url=address, permission=SEE)
    return [link] if sets and Picture.objects.undecided().exists() else []


def _next_of_sets(game: Game, count: int) -> str:
    if count or _counted(game)["all"]:
        return ""
    return "Draw picture sets of the pool, or bring associations by a file."
