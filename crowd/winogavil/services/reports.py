"""Reports of what a worker finds unfit on a page: a cue, or one of the pictures shown with it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_reports import report_picture
from crowd.winogavil.models import Association, CueReport, PictureSetPlace, Place
from crowd.winogavil.services.withdrawal import report_cue
from hits.core.domain.typed_text import read_uuid
from hits.core.errors import InvalidAnswer
from hits.identity.models.workers import Worker

CUE = "cue"
PICTURE = "picture"


def cue_target(association: Association) -> dict[str, str]:
    label = _("The word “%(cue)s”") % {"cue": association.cue}
    return {"value": f"{CUE}:{association.item.public_id}", "label": label}


def picture_target(key: str, *, number: int, cue: str = "") -> dict[str, str]:
    """Reportable picture, named by its number on the page and, where there are several words, by its word."""
    label = _("Picture %(number)d") % {"number": number}
    return {"value": f"{PICTURE}:{key}", "label": f"{label} ({cue})" if cue else label}


def take_report(*, form: Mapping[str, Any], items: Sequence[int], worker: Worker, now: datetime) -> None:
    """Take a report on what these items show. Raises InvalidAnswer or RuleBroken, and then pulls nothing."""
    kind, _sep, name = str(form.get("about", "")).partition(":")
    reason, text = str(form.get("reason", "")), str(form.get("text", ""))
    if kind == CUE and (public_id := read_uuid(name)):
        association = Association.objects.filter(item__in=items, item__public_id=public_id).first()
        if association is None:
            raise InvalidAnswer(_("That word is not on this page. Please reload it."))
        known = reason if reason in CueReport.Reason.values else CueReport.Reason.OTHER
        report_cue(association=association, worker=worker, reason=known, text=text, now=now)
        return
    picture = Picture.objects.filter(key=name).first()
    if kind != PICTURE or picture is None or not _shows(items, picture):
        raise InvalidAnswer(_("That picture is not on this page. Please reload it."))
    report_picture(picture=picture, reason=reason, text=text, by_worker=worker.pseudonym, now=now)


def _shows(items: Sequence[int], picture: Picture) -> bool:
    places = Place.objects.filter(association__item__in=items, picture=picture)
    return (
        places.exists()
        or PictureSetPlace.objects.filter(picture_set__item__in=items, picture=picture).exists()
    )
