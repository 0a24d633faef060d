"""Adding of pictures to the pool, once for each content, and correcting of their words."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from crowd.pictures import domain
from crowd.pictures.bringing.import_lines import Line
from crowd.pictures.files.contents import Content
from crowd.pictures.models import Picture, Unfit, new_key
from crowd.pictures.profanity import is_profane
from crowd.pictures.services import flagged_pictures, picture_states
from scoring.services.rival_pool import Entering, enter_pool

SUFFIXES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
WORDS = ("concept", "caption", "source", "credit", "licence")
Status = Picture.Status


@dataclass(frozen=True, kw_only=True)
class NewPicture:
    """A picture to add. `is_checked`: the caller vouches for it, and nobody needs to look at it again."""

    content: bytes
    media_type: str
    concept: str
    caption: str = ""
    source: str = ""
    credit: str = ""
    licence: str = ""
    original_sha256: str = ""
    is_checked: bool = True


@dataclass(frozen=True, kw_only=True)
class Entered:
    picture: Picture
    is_new: bool


def add_picture(new: NewPicture) -> Picture:
    """The picture with this content: an existing one, or a new one."""
    return enter_picture(new).picture


def bring_in(line: Line, *, content: Content, is_checked: bool) -> Entered:
    """Add content that was sent and has been made harmless."""
    return enter_picture(
        NewPicture(
            content=content.data,
            media_type=content.media_type,
            original_sha256=content.original_sha256,
            is_checked=is_checked,
            **{name: getattr(line, name) for name in WORDS},
        )
    )


def enter_picture(new: NewPicture) -> Entered:
    if new.media_type not in SUFFIXES:
        raise ValueError(f"{new.media_type} is not a picture we serve: {', '.join(SUFFIXES)}.")
    digest = sha256(new.content).hexdigest()
    if known := _known(digest, new.original_sha256):
        return Entered(picture=known, is_new=False)
    picture = Picture(
        key=new_key(),
        sha256=digest,
        original_sha256=new.original_sha256 or digest,
        media_type=new.media_type,
        **{name: getattr(new, name) for name in WORDS},
        **_first_state(new),
    )
    try:
        with transaction.atomic():
            name = f"{picture.key}.{SUFFIXES[new.media_type]}"
            picture.file.save(name, ContentFile(new.content), save=True)
            tell_rivals([picture])
    except IntegrityError:
        # The same content was added just now; any other error is raised again.
        picture.file.storage.delete(str(picture.file.name))
        if known := _known(digest, new.original_sha256):
            return Entered(picture=known, is_new=False)
        raise
    return Entered(picture=picture, is_new=True)


def tell_rivals(pictures: Sequence[Picture]) -> None:
    """Tell rivals what they may know of a picture. The caller holds the transaction."""
    enter_pool(
        [
            Entering(sha256=one.sha256, path=str(one.file.name), caption=one.caption or one.concept)
            for one in pictures
        ]
    )


def describe_picture(picture: Picture) -> None:
    """Save only the corrected words of a picture. Rivals are told the words of pictures in the pool."""
    now = timezone.now()
    picture.is_profane = is_profane(picture.concept)
    picture.shows_concept = domain.shows_concept(picture.ocr_text, concept=picture.concept)
    with transaction.atomic():
        [before] = picture_states.lock_pictures([picture.pk])
        picture.save(update_fields=[*WORDS, "is_profane", "shows_concept"])
        if picture.in_pool:
            tell_rivals([picture])
        if picture.is_profane:
            picture_states.move_picture(picture, Status.UNFIT, unfit_reason=Unfit.PROFANE, now=now)
        elif picture.in_pool and before.concept != picture.concept:
            before.shows_concept = picture.shows_concept
            flagged_pictures.judge_anew(before, now=now)


def _known(digest: str, original: str) -> Picture | None:
    """The picture with the same bytes, as they are kept or as they once came."""
    same = Q(sha256=digest) | Q(original_sha256__in={digest, original or digest})
    return Picture.objects.filter(same).order_by("pk").first()


def _first_state(new: NewPicture) -> dict[str, object]:
    if is_profane(new.concept):
        return {"status": Status.UNFIT, "unfit_reason": Unfit.PROFANE, "is_profane": True}
    return {"status": Status.FIT if new.is_checked else Status.WAITING}
