"""Actions that edit an image's explanation and its category; both texts are kept, with who and when."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import QueryDict

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops.images.queries.categories import categories_of
from crowd.whoops.models import Category, Image
from crowd.whoops.models.image_edits import LONGEST_WHY
from crowd.whoops.models.images import LONGEST_EXPLANATION
from crowd.whoops.review.services.image_edits import category_name, edit_explanation, set_category
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.reason_form import OneLine

PERMISSIONS = ("whoops.view_image", "whoops.edit_image")
KEPT = "What was there before is kept, with your name and the time."
ABOUT_EXPLANATION = (
    "Correct facts and be specific: names, dates, what everybody knows. The designer's own words stay on "
    "record. This explanation is exported, and is judged in lists that no worker has seen yet. The same "
    f"words as the designer's take the edit back. {KEPT}"
)


class WhyForm(forms.Form):
    """The reason of an edit, and what was there on the page."""

    why = OneLine(label="Why", max_length=LONGEST_WHY, widget=forms.TextInput(attrs={"class": "vTextField"}))

    field_order = ("text", "category", "why")


class ExplanationForm(WhyForm):
    text = OneLine(
        label="Why it is weird, in one sentence",
        max_length=LONGEST_EXPLANATION,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class CategoryOfImageForm(WhyForm):
    category = forms.ModelChoiceField(
        Category.objects.none(), empty_label="Choose the main one", label="What it goes against"
    )

    def __init__(self, *args: Any, image: Image, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        category: Any = self.fields["category"]
        category.queryset = categories_of(image.project)


def _explanation_form(data: QueryDict | None, call: Call[Image]) -> ExplanationForm:
    return ExplanationForm(data, initial={"text": call.row.final_explanation}, label_suffix="")


def _category_form(data: QueryDict | None, call: Call[Image]) -> CategoryOfImageForm:
    initial = {"category": call.row.category_id}
    return CategoryOfImageForm(data, image=call.row, initial=initial, label_suffix="")


def _confirm(text: str, now_there: Callable[[Image], str]) -> Callable[[Call[Image]], Confirm]:
    def confirm(call: Call[Image]) -> Confirm:
        image = call.row
        return Confirm(
            text=text,
            # After a refusal, what somebody else wrote meanwhile has been read.
            hidden=[("seen", now_there(image))],
            detail="admin/whoops/image_large.html",
            details={"image": image, "picture_url": file_url(image.picture, 480)},
        )

    return confirm


def _edit_explanation(call: Call[Image]) -> Outcome:
    image, values = call.row, call.values
    seen = call.sent.get("seen", "")
    edit_explanation(image=image, text=values["text"], why=values["why"], seen=seen, by=call.by, now=call.now)
    return Outcome(said=f"{image} has another explanation now.", history=f"Explanation: {values['text']}")


def _set_category(call: Call[Image]) -> Outcome:
    image, values = call.row, call.values
    seen, category = call.sent.get("seen", ""), values["category"]
    set_category(image=image, category=category, why=values["why"], seen=seen, by=call.by, now=call.now)
    return Outcome(said=f"{image}: the category is “{category}” now.", history=f"Category: {category}")


def _is_there(image: Image) -> bool:
    return image.state != Image.State.WITHDRAWN


EDITS = {
    "explanation": Action(
        label="Edit the explanation",
        permissions=PERMISSIONS,
        form=_explanation_form,
        confirm=_confirm(ABOUT_EXPLANATION, lambda image: image.final_explanation),
        offered=_is_there,
        run=_edit_explanation,
    ),
    "category": Action(
        label="Set the category",
        permissions=PERMISSIONS,
        form=_category_form,
        confirm=_confirm(f"Figures by category follow at once. {KEPT}", category_name),
        offered=_is_there,
        run=_set_category,
    ),
}
