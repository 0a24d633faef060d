"""Pictures of faulty forms are kept here, so that designers need not choose them again."""

from datetime import timedelta

from django.conf import settings
from django.core import signing

from crowd.pictures.models import Picture
from crowd.whoops.models import Designer

SALT = "crowd.whoops.kept"
LASTS = timedelta(days=1)


def write_kept(picture: Picture, designer: Designer) -> str:
    payload = {"picture": picture.key, "designer": str(designer.public_id)}
    return signing.dumps(payload, key=settings.TOKEN_KEYS[0], salt=SALT)


def read_kept(kept: str, designer: Designer) -> Picture | None:
    """The kept picture. None, so that one is chosen again: too old, another designer's, or taken away."""
    first: str = settings.TOKEN_KEYS[0]
    others: list[str | bytes] = [*settings.TOKEN_KEYS[1:]]
    try:
        payload = signing.loads(kept, key=first, fallback_keys=others, salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        return None
    if payload["designer"] != str(designer.public_id):
        return None
    return Picture.objects.filter(key=payload["picture"], status=Picture.Status.FIT).first()
