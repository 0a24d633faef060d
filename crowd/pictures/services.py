from dataclasses import dataclass
from hashlib import sha256

from django.core.files.base import ContentFile
from django.db import transaction

from crowd.pictures.models import Picture, new_key

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
    return picture
