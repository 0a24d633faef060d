from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.core.files.base import ContentFile
from django.db import transaction

from crowd.pictures.models import Picture, new_key
from scoring.services.pool import Entering, enter_pool

SUFFIXES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


@dataclass(frozen=True, kw_only=True)
class NewPicture:
    content: bytes
    media_type: str
    concept: str
    caption: str = ""
    source: str = ""
    credit: str = ""
    licence: str = ""


def add_picture(new: NewPicture) -> Picture:
    """The picture with this content: the one there is, or a new one."""
    if new.media_type not in SUFFIXES:
        raise ValueError(f"{new.media_type} is not a picture we serve: {', '.join(SUFFIXES)}.")
    digest = sha256(new.content).hexdigest()
    if known := Picture.objects.filter(sha256=digest).first():
        return known
    picture = Picture(
        key=new_key(),
        sha256=digest,
        concept=new.concept,
        caption=new.caption,
        media_type=new.media_type,
        source=new.source,
        credit=new.credit,
        licence=new.licence,
    )
    with transaction.atomic():
        name = f"{picture.key}.{SUFFIXES[new.media_type]}"
        picture.file.save(name, ContentFile(new.content), save=True)
        tell_rivals([picture])
    return picture


def tell_rivals(pictures: Sequence[Picture]) -> None:
    """What they may know of a picture. The caller holds the transaction."""
    enter_pool(
        [
            Entering(sha256=one.sha256, path=str(one.file.name), caption=one.caption or one.concept)
            for one in pictures
        ]
    )


def describe_picture(picture: Picture) -> None:
    """Saves mended words of a picture; rivals read the new ones from now on."""
    with transaction.atomic():
        picture.save()
        tell_rivals([picture])
