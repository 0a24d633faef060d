"""Natural partners of weird images: a registered model finds pictures of the pool, and a person picks one."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from crowd.pictures.models import Picture
from crowd.whoops.design.services.submissions import set_partner
from crowd.whoops.models import Image, Partner, PartnerProposal, PartnerSearch, Project
from hits.core.errors import CrowdError, RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from scoring.models import RegisteredRival

# Pictures that are proposed for an image, and images for which the pool is read once.
PROPOSED, AT_ONCE = 8, 200
# More are looked at, for some of the nearest are partners or weird images themselves.
LOOKED_AT = 3 * PROPOSED
# How long a search waits for a model that could not be asked.
REST = timedelta(minutes=1)
# So long a sweep looks at pictures of the pool that are new to the model, before others have their turn.
LONGEST_S = 30.0
Status = PartnerSearch.Status
log = structlog.get_logger()


def finders() -> QuerySet[RegisteredRival]:
    """Return the models that compare pictures with pictures."""
    return RegisteredRival.objects.filter(kind=RegisteredRival.Kind.CLIP).order_by("name")


def lacking_images(project: Project) -> QuerySet[Image]:
    """Return accepted images without a natural partner."""
    accepted = project.images.filter(state=Image.State.ACCEPTED, picture__status=Picture.Status.FIT)
    natural = Partner.objects.filter(image=OuterRef("pk"), kind=Partner.Kind.NATURAL)
    return accepted.filter(~Exists(natural)).order_by("number")


def search_partners(*, project: Project, rival: RegisteredRival, by: User, now: datetime) -> PartnerSearch:
    """Begin a search. Raises RuleBroken while another goes on, and where no image lacks a partner."""
    if not lacking_images(project).exists():
        raise RuleBroken("none_lacks", "Every accepted image has its natural partner.")
    try:
        with transaction.atomic():
            return PartnerSearch.objects.create(project=project, rival=rival, asked_by=by, asked_at=now)
    except IntegrityError:
        raise RuleBroken("searched_already", "The pool is being searched already. Wait for that.") from None


def go_on() -> None:
    """Find pictures for the next images of each search. Runs where models do."""
    for search in PartnerSearch.objects.filter(status=Status.OPEN).select_related("project", "rival"):
        while _find_some(search):
            pass


def next_search(*, now: datetime) -> datetime | None:
    """When the next search goes on; one whose model could not be asked rests before."""
    problems = set(PartnerSearch.objects.filter(status=Status.OPEN).values_list("problem", flat=True))
    if not problems:
        return None
    return now if "" in problems else now + REST


def proposals_for(image: Image) -> QuerySet[PartnerProposal]:
    """Return the proposals of the last search that found any, of pictures that may still be shown."""
    last = PartnerProposal.objects.filter(image=image).order_by("-search").values("search")[:1]
    shown = PartnerProposal.objects.filter(image=image, search=last, picture__status=Picture.Status.FIT)
    return shown.select_related("picture", "search__rival").order_by("place")


def pick_partner(*, image: Image, proposal: PartnerProposal, by: User, now: datetime) -> Partner:
    """Make a proposed picture the natural partner. Raises RuleBroken if there is one, or it is away."""
    if proposal.image_id != image.pk:
        raise RuleBroken("other_image", "This picture was proposed for another image.")
    with transaction.atomic():
        partner = set_partner(
            image=image,
            kind=Partner.Kind.NATURAL,
            picture=proposal.picture,
            texts={},
            now=now,
            by_designer=False,
        )
        PartnerProposal.objects.filter(pk=proposal.pk).update(picked_by=by, picked_at=now)
    return partner


def _find_some(search: PartnerSearch) -> bool:
    """Propose pictures for some images; False once all have some, or where the model cannot be asked."""
    from scoring.services.embedding_backfill import fill_for  # noqa: PLC0415 - the models' libraries
    from scoring.services.nearest_pictures import nearest_in_pool  # noqa: PLC0415 - as above

    images = list(
        lacking_images(search.project).filter(number__gt=search.cursor).select_related("picture")[:AT_ONCE]
    )
    if not images:
        move(search, Status.DONE, problem="")
        return False
    try:
        if not fill_for(search.rival, longest_s=LONGEST_S):
            return False
        found = nearest_in_pool(search.rival, [one.picture.sha256 for one in images], k=LOOKED_AT)
    except (CrowdError, OSError, RuntimeError, ValueError) as problem:
        told = {"problem": str(problem)[:500]}
        PartnerSearch.objects.filter(pk=search.pk).exclude(**told).update(**told)
        log.warning("whoops.partners_not_found", search=search.pk, error=type(problem).__name__)
        return False
    near = {
        image: [(one.sha256, one.cosine) for one in found.get(image.picture.sha256, ())] for image in images
    }
    return _keep(search, near)


def _keep(search: PartnerSearch, near: Mapping[Image, Sequence[tuple[str, float]]]) -> bool:
    wanted = {digest for some in near.values() for digest, _ in some}
    images = Image.objects.filter(project=search.project)
    fit = Picture.objects.playable().filter(sha256__in=wanted).exclude(pk__in=images.values("picture"))
    free = fit.exclude(pk__in=Partner.objects.filter(image__in=images).values("picture"))
    pictures = dict(free.values_list("sha256", "pk"))
    proposed = {
        image: [(pictures[digest], cosine) for digest, cosine in some if digest in pictures][:PROPOSED]
        for image, some in near.items()
    }
    with transaction.atomic():
        mine = PartnerSearch.objects.filter(pk=search.pk, status=Status.OPEN, cursor=search.cursor)
        cursor = max(one.number for one in near)
        if not mine.update(cursor=cursor, problem=""):
            return False
        PartnerProposal.objects.bulk_create(
            (
                PartnerProposal(search=search, image=image, picture_id=picture, place=place, cosine=cosine)
                for image, some in proposed.items()
                for place, (picture, cosine) in enumerate(some, start=1)
            ),
            batch_size=AT_ONCE,
        )
    search.cursor = cursor
    return True
