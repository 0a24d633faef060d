"""A draft of every task with something to ask, and what people do on the page of a preview."""

from collections.abc import Callable, Mapping
from string import ascii_lowercase
from typing import Any

from django.test import Client
from django.urls import reverse

from crowd.whoops import domain as whoops
from crowd.whoops.design.services.invitations import want_designers
from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.domain import CREATOR_TEST, SOLVER_TEST
from crowd.winoventi import domain as winoventi
from hits.payments.services.compensation import TASK as COMPENSATION
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from hits.work.services.answers_needed import make_item
from tests.crowd.whoops import making_annotations, making_images
from tests.crowd.winogavil.annotation.annotators import draw, make_selected
from tests.crowd.winogavil.examining import make_creator_test, make_solver_test
from tests.crowd.winoventi.question_pages import asked
from tests.factories import make_batch, make_study
from tests.sent_forms import Control, SentForm, read_forms

# Where an entry's name begins in the name of a field, after the item's id and a hyphen.
ENTRY = 37
ANSWERED = "frame/preview_answered.html"
# Texts by the end of their field's name, where a task takes no other.
RIGHT: Mapping[str, Mapping[str, str]] = {
    **asked.RIGHT,
    whoops.ANNOTATE: making_annotations.GOOD,
    whoops.CONTROL: making_images.SAW,
    whoops.EXAMPLES: making_annotations.GOOD,
}
# Fits a field for a word as well as one for a number.
TYPED = "7"


def make_draft(task: str) -> Batch:
    """A draft of this task, with items of its own or of its study's pool."""
    if maker := MAKERS.get(task):
        made = maker()
        return made if isinstance(made, Batch) else make_batch(task=task, study=made)
    item = Item.objects.filter(task=task, pulled_at=None).order_by("-pk")[0]
    return item.batch or make_batch(task=task, study=item.study)


def _compensation() -> Batch:
    batch = make_batch(task=COMPENSATION, items_from=Batch.ItemsFrom.FILE)
    make_item(study=batch.study, batch=batch, task=COMPENSATION, answers_needed=1)
    return batch


def _labels(kind: Kind) -> Study:
    study = make_study()
    make_selected(study)
    draw(study, kind)
    return study


def _designers() -> Study:
    project = making_images.make_project()
    want_designers(project=project, places=2)
    return project.study


def _training() -> Study:
    project = making_annotations.make_project()
    making_annotations.make_training_images(project)
    return project.study


def _control() -> Study:
    return making_images.ControlGroup().post().project.study


# Tasks of which a study full of rows has no item.
MAKERS: Mapping[str, Callable[[], Batch | Study]] = {
    COMPENSATION: _compensation,
    CREATOR_TEST: lambda: make_creator_test(study=make_study(), status="draft"),
    SOLVER_TEST: lambda: make_solver_test(study=make_study(), status="draft"),
    Kind.SKILLS.task: lambda: _labels(Kind.SKILLS),
    Kind.BASELINE.task: lambda: _labels(Kind.BASELINE),
    winoventi.WALK: lambda: asked.open_batch(winoventi.WALK),
    whoops.ANNOTATE: lambda: making_annotations.Annotators().project.study,
    whoops.CONTROL: _control,
    whoops.DESIGN: _designers,
    whoops.EXAMPLES: _training,
}


class Looking:
    """A researcher's preview of a batch, opened as the page of the researchers' side opens it."""

    def __init__(self, client: Client, batch: Batch, **query: str) -> None:
        self.desk: Any = client.get(reverse("admin:frame_preview", args=[batch.pk]), query)
        assert self.desk.status_code == 200
        self.batch = batch
        # Like a worker's page, the frame knows nobody but by its token.
        self.visitor = Client()
        self.page: Any = self.visitor.get(self.desk.context["frame"])

    @property
    def token(self) -> str:
        return str(self.page.context["token"])

    @property
    def form(self) -> SentForm:
        return next(form for form in read_forms(self.page.content.decode()) if "/answer/" in form.action)

    def send(self, name: str, *, cue: str = "word", slot: int = 1, token: str = "") -> Any:
        """Send what a page sends while it is worked on."""
        address = self.form.action.replace("/answer/", f"/{name}/")
        sent = {"token": token or self.token, "slot": slot, "cue": cue, "chosen": [0, 1]}
        return self.visitor.post(address, sent)

    def put(self, words: int) -> str:
        """Put so many words to the model, and return the page's token after them."""
        token = self.token
        for slot in range(1, words + 1):
            token = self.send("ask", cue=f"word{ascii_lowercase[slot]}", slot=slot, token=token).json()[
                "token"
            ]
        return token

    def answer(self, *, ticks: int = 1, **changes: str) -> Any:
        return self.visitor.post(self.form.action, {**self._filled(ticks), **changes})

    def answer_somehow(self) -> Any:
        """What the page says to an answer, tried with more and more boxes ticked until it is complete."""
        for ticks in range(6):
            page = self.answer(ticks=ticks)
            if page.templates[0].name == ANSWERED:
                break
        return page

    def _filled(self, ticks: int) -> dict[str, list[str]]:
        return {name: self._value(name, one, ticks) for name, one in self.form.controls.items()}

    def _value(self, name: str, control: Control, ticks: int) -> list[str]:
        if control.kind == "checkbox":
            return control.options[:ticks]
        right = RIGHT.get(self.batch.task, {}).get(name[ENTRY:])
        if right is not None:
            return [right]
        if control.options:
            return control.options[:1]
        return control.values if control.kind == "hidden" else [TYPED]
