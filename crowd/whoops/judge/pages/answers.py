"""Questions and answers: is the answer right? Some are wrong on purpose, and no page tells which."""

from dataclasses import replace
from decimal import Decimal

from django.db.models import QuerySet
from django.templatetags.static import static
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.whoops import domain
from crowd.whoops.judge.pages.judged_pages import JudgedQuestion, RightTask
from crowd.whoops.judge.queries.judges import no_other_side, one_side_each
from crowd.whoops.models.judged_items import Option
from hits.work.models.items import Item


class AnswersTask(RightTask):
    key = domain.VERIFY
    name = "Weird images: questions and answers"
    terms = replace(
        RightTask.terms,
        title="Is the answer right?",
        description=(
            "You look at some images. For each there is a question and an answer: is the answer right?"
        ),
        reward=Decimal("0.36"),
        item_s=10,
    )
    heading = gettext_lazy("Is the answer right?")
    page = "whoops/answers.html"
    asks = gettext_lazy("Is the answer right?")

    @property
    def practice(self) -> JudgedQuestion:
        option = Option(number=1, text=_("A candle."))
        return JudgedQuestion(
            url=static("whoops/candle.svg"), text=_("What is in the fishbowl?"), options=(option,)
        )

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """No worker is asked one question twice: the second answer would show that one of them is wrong."""
        own = super().narrow_items(items, worker_id=worker_id)
        return one_side_each(no_other_side(own, worker_id=worker_id))
