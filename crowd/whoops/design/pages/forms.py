"""Forms of designers, checked and refused in plain words. Nothing that was typed or chosen is lost."""

from datetime import datetime
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.pictures.fields import PictureField
from crowd.pictures.files.single_uploads import Upload
from crowd.pictures.models import Picture
from crowd.pictures.services.item_pictures import upload_picture
from crowd.questions.domain import trim
from crowd.questions.page_entries import fault_of_text
from crowd.whoops.design.pages.kept_pictures import read_kept, write_kept
from crowd.whoops.design.services.submissions import TEXTS, texts_of
from crowd.whoops.images.queries.categories import categories_of
from crowd.whoops.models import Category, Designer, Image
from crowd.whoops.models.images import LONGEST_LINE, LONGEST_PROMPT
from hits.core.errors import RuleBroken

CONCEPT = "weird images"


class LineField(forms.CharField):
    """Text on one line, whatever was typed. Others see it, so coarse words are refused."""

    def to_python(self, value: Any) -> str:
        return trim(super().to_python(value) or "")

    def validate(self, value: Any) -> None:
        super().validate(value)
        if fault := fault_of_text(value):
            raise ValidationError(fault)


class PictureForm(forms.Form):
    """A form with a picture. `kept`: an earlier upload, signed. `present`: stays if none is chosen."""

    picture = PictureField(label=gettext_lazy("Picture"), required=False)
    kept = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, designer: Designer, present: Picture | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.designer = designer
        # The page shows it beside the field.
        self.shown_picture = present

    def take_picture(self, *, now: datetime) -> Picture | None:
        """Store or find the picture, after the form's check. None: the form says why."""
        upload = self.cleaned_data.get("picture")
        known = read_kept(self.cleaned_data.get("kept", ""), self.designer) or self.shown_picture
        picture = self._upload(upload, now=now) if upload else known
        if picture is None:
            self.shown_picture = known
            if "picture" not in self.errors:
                self.add_error("picture", _("Choose the picture. A browser never keeps a chosen file."))
            return None
        self.shown_picture = picture
        again = cast("QueryDict", self.data).copy()
        again["kept"] = write_kept(picture, self.designer)
        self.data = again
        return picture if not self.errors else None

    def _upload(self, upload: Upload, *, now: datetime) -> Picture | None:
        sender = f"designer {self.designer.pk}"
        try:
            return upload_picture(upload=upload, concept=CONCEPT, by=None, sender=sender, now=now)
        except RuleBroken as refusal:
            self.add_error("picture", str(refusal))
            return None


class ImageForm(PictureForm):
    """The form of an image, with everything that is asked about it."""

    field_order = (
        "normal_element", "shared_element", "weird_element", "explanation", "category",
        "picture", "prompt", "seed", "tool",
    )  # fmt: skip

    normal_element = LineField(
        label=gettext_lazy("What would be normal"),
        max_length=LONGEST_LINE,
        help_text=gettext_lazy("The element that usually stands there. For example: a kettle"),
    )
    shared_element = LineField(
        label=gettext_lazy("What it goes with"),
        max_length=LONGEST_LINE,
        help_text=gettext_lazy("The element that stays. For example: a gas stove"),
    )
    weird_element = LineField(
        label=gettext_lazy("What stands there instead"),
        max_length=LONGEST_LINE,
        help_text=gettext_lazy("Similar enough to mislead, and yet out of place. For example: a snowman"),
    )
    explanation = LineField(
        label=gettext_lazy("Why it is weird, in one sentence"),
        max_length=500,
        widget=forms.Textarea({"rows": 2}),
        help_text=gettext_lazy("Say what everybody knows and the image goes against: names and facts, too."),
    )
    category = forms.ModelChoiceField(
        Category.objects.none(),
        label=gettext_lazy("What kind of common sense it goes against"),
        empty_label=gettext_lazy("Choose the main one"),
    )
    prompt = LineField(
        label=gettext_lazy("Prompt"),
        max_length=LONGEST_PROMPT,
        widget=forms.Textarea({"rows": 3}),
        help_text=gettext_lazy("Exactly as you gave it to the tool."),
    )
    seed = LineField(
        label=gettext_lazy("Seed"),
        max_length=64,
        required=False,
        help_text=gettext_lazy("If the tool shows it: the image can be made again with it."),
    )
    tool = LineField(
        label=gettext_lazy("Made with"),
        max_length=80,
        help_text=gettext_lazy("The tool and its version."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        category: Any = self.fields["category"]
        category.queryset = categories_of(self.designer.project)

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        normal, weird = values.get("normal_element", ""), values.get("weird_element", "")
        if normal and normal.casefold() == weird.casefold():
            self.add_error("weird_element", _("This is the same as what would be normal. Say what differs."))
        return values

    @property
    def texts(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in TEXTS}


class PartnerForm(PictureForm):
    """The form of the normal partner, made with the same tool: it asks for prompt, seed and tool."""

    prompt = LineField(
        label=gettext_lazy("Prompt"), max_length=LONGEST_PROMPT, widget=forms.Textarea({"rows": 3})
    )
    seed = LineField(label=gettext_lazy("Seed"), max_length=64, required=False)
    tool = LineField(label=gettext_lazy("Made with"), max_length=80)

    @property
    def values(self) -> dict[str, Any]:
        return {"texts": {name: self.cleaned_data[name] for name in ("prompt", "seed", "tool")}}


class PhotographForm(PictureForm):
    """The form of the natural partner: its photographer may have a right to be named."""

    credit = LineField(
        label=gettext_lazy("Who took it"),
        max_length=500,
        help_text=gettext_lazy("As the photographer wants to be named, or “my own”."),
    )
    licence = LineField(
        label=gettext_lazy("Licence"),
        max_length=64,
        help_text=gettext_lazy("One that lets others publish it. For example: CC BY 4.0"),
    )

    @property
    def values(self) -> dict[str, Any]:
        return {"texts": {}, "credit": self.cleaned_data["credit"], "licence": self.cleaned_data["licence"]}


def start_of(designer: Designer) -> dict[str, Any]:
    """The first values of a new image: the tool is mostly the same as last time."""
    last = Image.objects.filter(designer=designer).order_by("-number").values_list("tool", flat=True).first()
    return {"tool": last or ""}


def values_of(image: Image) -> dict[str, Any]:
    return {**texts_of(image), "category": image.category_id}
