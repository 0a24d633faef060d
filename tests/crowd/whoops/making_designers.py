"""Factories of designers with links, of pictures to send, and of the forms that a workspace page sends."""

from datetime import timedelta
from io import BytesIO
from itertools import count
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from PIL import Image as Drawing

from crowd.pictures.models import Picture
from crowd.whoops.design.services.invitations import invite_designer
from crowd.whoops.design.services.submissions import send_image
from crowd.whoops.design.services.workspace_links import path_of
from crowd.whoops.models import Category, Designer, Image, Project
from hits.studies.models import Study
from tests.factories import NOW, make_picture, make_study, make_user

_numbers = count(1)
TEXTS = {
    "prompt": "a snowman on a gas stove, photograph",
    "seed": "4711",
    "tool": "Painter 3",
    "normal_element": "A kettle",
    "weird_element": "A snowman",
    "shared_element": "a gas stove",
    "explanation": "A snowman melts on a stove, so nobody puts one there.",
}
OTHER = {**TEXTS, "explanation": "Snow melts over a flame."}


def make_project(*, study: Study | None = None, **rules: Any) -> Project:
    return Project.objects.create(study=study or make_study(), **rules)


def make_designer(project: Project | None = None, **changes: Any) -> Designer:
    """Invite a designer at NOW; the link lasts a year by the machine's clock, which pages read."""
    values: dict[str, Any] = {"name": f"Designer {next(_numbers)}", "by": make_user(), "now": NOW, **changes}
    designer = invite_designer(project=project or make_project(), **values)
    designer.link_until = timezone.now() + timedelta(days=365)
    designer.save(update_fields=["link_until"])
    return designer


def make_category(name: str = "Physics") -> Category:
    return Category.objects.get_or_create(name=name)[0]


def png(number: int | None = None) -> bytes:
    """A picture whose pixels differ from every other, unless the same number is given."""
    number = next(_numbers) if number is None else number
    content = BytesIO()
    color = (number % 256, number // 256 % 256, 90)
    Drawing.new("RGB", (48, 40), color).save(content, "PNG")
    return content.getvalue()


def png_file(number: int | None = None, *, name: str = "snowman.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, png(number), content_type="image/png")


def make_fit_picture() -> Picture:
    picture = make_picture()
    Picture.objects.filter(pk=picture.pk).update(status=Picture.Status.FIT, in_pool=False)
    picture.refresh_from_db()
    return picture


def send(designer: Designer, **changes: Any) -> Image:
    values: dict[str, Any] = {
        "key": uuid4(),
        "picture": changes.get("picture") or make_fit_picture(),
        "texts": TEXTS,
        "category": make_category(),
        "now": NOW,
        **changes,
    }
    return send_image(designer=designer, **values)


def form_of(**changes: Any) -> dict[str, Any]:
    """Form data of the page "New image", with a picture of its own."""
    values = {**TEXTS, "category": make_category().pk, "key": str(uuid4()), "picture": png_file()}
    return {name: value for name, value in {**values, **changes}.items() if value is not None}


def address(designer: Designer, name: str = "") -> str:
    return f"{path_of(designer)}{name}"
