"""Researchers' edits of what a designer has sent: the explanation and the category. Nothing is lost.

The designer's explanation stays as it was sent, in the image and in its revision; the edited one is data.
"""

from datetime import datetime

from crowd.questions.domain import is_unfit, trim
from crowd.whoops.images.queries.categories import categories_of
from crowd.whoops.images.services.locks import held_image
from crowd.whoops.models import Category, Image, ImageEdit
from crowd.whoops.models.image_edits import LONGEST_WHY
from crowd.whoops.models.images import LONGEST_EXPLANATION
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

What = ImageEdit.What
NO_CATEGORY = ""


def edit_explanation(*, image: Image, text: str, why: str, seen: str, by: User, now: datetime) -> None:
    """Edit the explanation that is part of the data. `seen`: the one that this person had on the page.

    The designer's own words take the edit back. Raises RuleBroken, and then nothing is changed.
    """
    text, why = _checked(text, "an explanation", LONGEST_EXPLANATION), _checked(why, "a reason", LONGEST_WHY)
    with held_image(image) as locked:
        before = locked.final_explanation
        _refuse(locked, before=before, after=text, seen=seen)
        locked.edited_explanation = "" if text == locked.explanation else text
        locked.save(update_fields=["edited_explanation"])
        _keep(locked, What.EXPLANATION, before=before, after=text, why=why, by=by, now=now)


def set_category(*, image: Image, category: Category, why: str, seen: str, by: User, now: datetime) -> None:
    """Set an image's category. `seen`: the name of the one that this person had on the page."""
    why = _checked(why, "a reason", LONGEST_WHY)
    with held_image(image) as locked:
        if not categories_of(locked.project).filter(pk=category.pk).exists():
            raise RuleBroken("no_category", f"“{category}” is not in the study's list any more.")
        before = category_name(locked)
        _refuse(locked, before=before, after=category.name, seen=seen)
        locked.category = category
        locked.save(update_fields=["category"])
        _keep(locked, What.CATEGORY, before=before, after=category.name, why=why, by=by, now=now)


def category_name(image: Image) -> str:
    return image.category.name if image.category else NO_CATEGORY


def _checked(text: str, what: str, longest: int) -> str:
    said = trim(text)
    if not said or len(said) > longest or is_unfit(said):
        raise RuleBroken("bad_text", f"Write {what} of at most {longest} characters. Nothing was changed.")
    return said


def _refuse(image: Image, *, before: str, after: str, seen: str) -> None:
    if image.state == Image.State.WITHDRAWN:
        raise RuleBroken("withdrawn", f"{image} was withdrawn by its designer. Nothing was changed.")
    if trim(seen) != trim(before):
        raise RuleBroken(
            "changed", f"Somebody has changed this just now. It is: “{before}”. Look at it again."
        )
    if before == after:
        raise RuleBroken("same", "This is what it is already. Nothing was changed.")


def _keep(image: Image, what: str, *, before: str, after: str, why: str, by: User, now: datetime) -> None:
    edit = ImageEdit.objects.create(
        image=image, revision=image.revision, what=what, before=before, after=after, why=why, by=by, at=now
    )
    words = f"{edit}: “{before or '–'}” became “{after}”. {why}"
    note(f"image.{what}_edited", words, by=by, now=now, study=image.project.study)
