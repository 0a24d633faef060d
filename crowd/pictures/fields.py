"""A form field for a picture, with refusals beside the field."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from crowd.pictures.errors import BadPicture
from crowd.pictures.files.single_uploads import LIMITS, MOST_BYTES, Upload, read_upload

ACCEPTED = "image/png,image/jpeg,image/webp"


class PictureField(forms.FileField):
    """A field whose value is an Upload, which `services.item_pictures` takes; None where none was chosen."""

    widget = forms.FileInput
    default_error_messages = {
        "required": gettext_lazy("Choose a picture."),
        "empty": gettext_lazy("The file is empty. Choose the picture again."),
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"help_text": LIMITS, **kwargs})

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "accept": ACCEPTED}

    def clean(self, data: Any, initial: Any = None) -> Upload | None:
        file = super().clean(data, initial)
        if not data:
            return None
        try:
            return read_upload(file.read(MOST_BYTES + 1), name=str(file.name))
        except BadPicture as problem:
            raise ValidationError(str(problem), code="bad_picture") from problem
