from typing import Any

from django import forms

from crowd.winogavil.play.models import DailyFeedback, WebGame
from crowd.winogavil.play.services.web_games import LONGEST_CONSENT


class PlainForm(forms.Form):
    def __init__(self, data: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial, label_suffix="")


class TitleForm(PlainForm):
    title = forms.CharField(max_length=60, help_text="What players call the game.")


class SettingsForm(forms.ModelForm[WebGame]):
    class Meta:
        model = WebGame
        fields = ("title", "solves_per_cue", "fewest_final", "shows_uploads")

    def __init__(self, data: Any = None, *, instance: WebGame | None) -> None:
        super().__init__(data, instance=instance, label_suffix="")


class ConsentForm(PlainForm):
    text = forms.CharField(
        label="Consent text",
        max_length=LONGEST_CONSENT,
        widget=forms.Textarea({"rows": 14, "cols": 80}),
        help_text="Say what is collected and what for; that others see names, words and scores; that data "
        "stay under a pseudonym when an account is deleted; and whom to write to. Another text is a new "
        "version: every player is asked for it before the next turn.",
    )


class FeedbackForm(PlainForm):
    is_on = forms.BooleanField(label="Write to paid workers once a day", required=False)
    hour = forms.IntegerField(
        label="From this hour on",
        min_value=0,
        max_value=23,
        initial=8,
        help_text=DailyFeedback._meta.get_field("hour").help_text,
    )
