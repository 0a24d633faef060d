"""Weird or normal: asked of weird images and of their normal partners; no page tells which is which."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from django.db.models import QuerySet
from django.templatetags.static import static
from django.utils.translation import gettext_lazy

from crowd.whoops import domain
from crowd.whoops.judge.pages.judged_pages import JudgedQuestion, PickTask
from crowd.whoops.judge.queries.judgements import rights_of
from crowd.whoops.judge.queries.judges import never_met, one_side_each
from crowd.whoops.models.judged_items import Option
from hits.families import MainFigure, StatesMainFigure
from hits.studies.models import Study
from hits.work.models.items import Item

WEIRD = "weird"
NORMAL = "normal"


class IdentifyTask(PickTask, StatesMainFigure):
    key = domain.IDENTIFY
    name = "Weird images: weird or normal"
    terms = replace(
        PickTask.terms,
        title="Weird or normal?",
        description="You look at some images, and say of each whether there is anything weird in it.",
        reward=Decimal("0.30"),
        item_s=8,
    )
    main_figure = MainFigure(
        name="Share of images that most judges identify",
        is_share=True,
        alike="A weird image and its normal partner, and images of one designer, depend on each other.",
    )
    heading = gettext_lazy("Weird or normal?")
    page = "whoops/identify.html"
    asks = gettext_lazy("Is this image weird or normal?")
    picks = (
        {"value": WEIRD, "words": gettext_lazy("Weird")},
        {"value": NORMAL, "words": gettext_lazy("Normal")},
    )

    @property
    def practice(self) -> JudgedQuestion:
        return JudgedQuestion(url=static("whoops/candle.svg"), options=(Option(number=1),))

    def final_values(self, study: Study) -> Sequence[float]:
        return rights_of(study, self.key)

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """A worker who knows an image, or its partner, knows the answer."""
        return one_side_each(never_met(items, worker_id=worker_id))
