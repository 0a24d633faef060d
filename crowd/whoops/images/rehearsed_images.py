"""Images as a rehearsal's copy has them: without the people, the pay and the words behind them."""

from typing import Any
from uuid import uuid4

from crowd.whoops.models import Designer, Image, Project
from hits.studies.models import Study


def strip_image(image: Image) -> None:
    """Take away all that says who made the image, and how. The caller stores nothing."""
    image.designer = _nameless(image)
    image.bonus_id = image.category_id = None
    image.prompt = image.seed = image.explanation = image.edited_explanation = ""
    image.normal_element = image.weird_element = image.shared_element = ""


def project_like(project: Project, *, number: int, **rules: Any) -> Project:
    """A project with other rules, for images that have some answers already: these stay behind."""
    study = Study.objects.get(pk=project.study_id)
    study.pk, study.public_id, study.name = -number, uuid4(), f"Images that lack {number}"
    own = Project.objects.get(pk=project.pk)
    own.pk, own.study = -number, study
    for name, value in rules.items():
        setattr(own, name, value)
    return own


def _nameless(image: Image) -> Designer:
    """The designer without a name; the worker stays, who is never asked about an image of their own."""
    designer = Designer.objects.get(pk=image.designer_id)
    designer.name = f"Designer {designer.pk}"
    return designer
