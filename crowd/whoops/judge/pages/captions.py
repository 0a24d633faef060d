"""Captions: is a caption right for an image? Asked of weird images and of both kinds of partners."""

from dataclasses import replace
from decimal import Decimal

from django.templatetags.static import static
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.whoops import domain
from crowd.whoops.judge.pages.judged_pages import JudgedQuestion, RightTask
from crowd.whoops.models.judged_items import Option


class CaptionsTask(RightTask):
    key = domain.RATE
    name = "Weird images: captions"
    terms = replace(
        RightTask.terms,
        title="Is the caption right?",
        description="You look at some images. For each there is a caption: is it right for the image?",
        reward=Decimal("0.40"),
        item_s=11,
    )
    heading = gettext_lazy("Is the caption right?")
    page = "whoops/captions.html"
    asks = gettext_lazy("Is this caption right for the image?")

    @property
    def practice(self) -> JudgedQuestion:
        option = Option(number=1, text=_("A candle burns in a fishbowl full of water."))
        return JudgedQuestion(url=static("whoops/candle.svg"), options=(option,))
