"""The form of a link that opens a page by itself."""

from django import forms

from hits.core.signed_links import DAYS, MOST_DAYS


class DaysForm(forms.Form):
    days = forms.IntegerField(
        label="Days that the link is valid",
        min_value=1,
        max_value=MOST_DAYS,
        initial=DAYS,
        help_text="From now on. It can be prolonged later, and ended at any moment.",
    )
