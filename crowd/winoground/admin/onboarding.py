"""The first questions: pairs that a worker has to tell apart before the task."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.utils import timezone
from django.utils.http import urlencode

from crowd.pictures.fields import PictureField
from crowd.pictures.files.single_uploads import Upload
from crowd.pictures.models import Picture
from crowd.pictures.services.item_pictures import upload_picture
from crowd.questions.domain import is_unfit
from crowd.winoground.domain import FIRST_QUESTIONS, ONBOARDING, RIGHT
from crowd.winoground.models import FirstQuestion, Project
from crowd.winoground.models.examples import LONGEST_CAPTION
from crowd.winoground.queries.asking_progress import FirstOnes, first_ones_of
from crowd.winoground.queries.examples import sees_own_only
from crowd.winoground.queries.qualified import gates_before, workers_qualified
from crowd.winoground.services.first_questions import add_question, change_question, put_back, take_away
from hits.admin.actions import Action, Call, Outcome
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.models.items import Item
from scoring.queries.vote_tallies import tallies

Pages = ProjectPages[Any]
PRESET = "winoground.onboarding"
MATCHES, DIFFERS = "yes", "no"


class QuestionForm(forms.Form):
    picture = PictureField(label="Image")
    caption = forms.CharField(max_length=LONGEST_CAPTION, widget=forms.TextInput(attrs={"size": 60}))
    is_match = forms.ChoiceField(
        label="Does the caption match the image?",
        choices=[(MATCHES, "Yes"), (DIFFERS, "No")],
        widget=forms.RadioSelect,
        help_text="The right answer, beyond doubt: a worker who is wrong twice may never work here.",
    )

    def clean_caption(self) -> str:
        caption: str = self.cleaned_data["caption"]
        if is_unfit(caption):
            raise forms.ValidationError("This has a character that cannot be stored. Type it again.")
        return caption


def urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/first-questions/", list_view, "first_questions"),
        pages.at("<int:pk>/first-questions/write/", write_view, "write_first_question"),
        pages.at("<int:pk>/first-questions/<int:question>/", question_view, "first_question"),
        pages.at("<int:pk>/first-questions/<int:question>/<slug:verb>/", verb_view, "first_question_verb"),
    ]


def onboarding_card(project: Project, user: User) -> Card:
    ones, gates = first_ones_of(project), gates_before(project)
    passed = workers_qualified(gates)
    figures = [
        Metric(name="First questions", count=ones.questions, of=max(FIRST_QUESTIONS, ones.questions)),
        Metric(name="First questions whose caption matches", count=ones.matching),
    ]
    if passed is not None:
        figures.append(Metric(name="Workers who may do the task", count=passed))
    lacks = ones.questions < FIRST_QUESTIONS
    questions = CardLink(
        name="First questions…",
        url=reverse("admin:winoground_first_questions", args=[project.pk]),
        is_first=lacks,
    )
    ways = [] if sees_own_only(user) else [questions]
    if not gates and user.has_perm("qualifications.add_gate"):
        query = urlencode({"study": str(project.study_id), "preset": PRESET})
        ways.append(
            CardLink(
                name="Put the test before the task…",
                url=f"{reverse('admin:qualifications_gate_add')}?{query}",
            )
        )
    return Card(
        key="onboarding",
        title="First questions",
        about=f"A test of {FIRST_QUESTIONS} unrelated pairs. A worker is warned of one mistake and may "
        "correct it; a worker who makes another is never let in.",
        metrics=figures,
        stage=Metric(name="Questions", count=ones.questions, of=FIRST_QUESTIONS),
        links=ways,
        next=f"Write {FIRST_QUESTIONS - ones.questions} more first questions." if lacks else "",
        problems=list(_problems(ones, is_gated=bool(gates))),
        tasks=(ONBOARDING,),
    )


def list_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """List the questions with the right answers, but not for authors, who see only examples of their own."""
    project = pages.find(request, pk)
    if sees_own_only(signed_in(request)):
        raise PermissionDenied
    questions = list(_questions_of(project).order_by("pk"))
    counts = tallies(Item.objects.filter(study=project.study_id, task=ONBOARDING), measures=[RIGHT])
    rows = [{"question": one, "count": counts.get((one.item_id, RIGHT))} for one in questions]
    context = {
        "title": "First questions",
        "asked": [row for row in rows if row["question"].item.pulled_at is None],
        "away": [row for row in rows if row["question"].item.pulled_at is not None],
        "needed": FIRST_QUESTIONS,
        "may_keep": request.user.has_perm(pages.permission("change")),
    }
    return pages.render(request, "admin/winoground/first_questions.html", context, project=project)


def write_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, pages.permission("change"))
    form = QuestionForm(request.POST or None, request.FILES or None)

    def keep(picturing: Callable[[], Picture] | None) -> str:
        assert picturing is not None  # noqa: S101 - the form wants a picture
        add_question(project=project, picturing=picturing, **words_of(form))
        return "The question is saved."

    if request.method == "POST" and form.is_valid() and _keep(pages, request, project, form, keep):
        name = "write_first_question" if "more" in request.POST else "first_questions"
        return redirect(pages.address(project, name))
    return _show(pages, request, project, form, title="Write a first question")


def question_view(pages: Pages, request: HttpRequest, pk: int, question: int) -> HttpResponse:
    project = pages.find(request, pk, pages.permission("change"))
    found = get_object_or_404(_questions_of(project), pk=question, item__pulled_at=None)
    initial = {"caption": found.caption, "is_match": MATCHES if found.is_match else DIFFERS}
    form = QuestionForm(request.POST or None, request.FILES or None, initial=initial)
    form.fields["picture"].required = False

    def keep(picturing: Callable[[], Picture] | None) -> str:
        row = change_question(
            question=found, project=project, picturing=picturing, now=timezone.now(), **words_of(form)
        )
        if row.pk == found.pk:
            return "The question is saved."
        return "Workers have been asked the old question: it was taken away, and this one asked in its place."

    if request.method == "POST" and form.is_valid() and _keep(pages, request, project, form, keep):
        return redirect(pages.address(project, "first_questions"))
    return _show(pages, request, project, form, title="Change a first question", question=found)


def verb_view(pages: Pages, request: HttpRequest, pk: int, question: int, verb: str) -> HttpResponse:
    """Take a question away or put it back, without a confirmation, because it can be undone."""

    def find(request: HttpRequest) -> Sequence[FirstQuestion]:
        return [get_object_or_404(_questions_of(project), pk=question)]

    project = pages.find(request, pk, pages.permission("change"))
    actions = project_actions(
        pages,
        ACTIONS,
        find=find,
        back=lambda _: pages.address(project, "first_questions"),
        project_of=lambda _: project,
        logged=lambda _: project,
    )
    return actions.answer(request, verb)


def project_of(question: FirstQuestion) -> Project:
    return Project.objects.get(study=question.item.study_id)


def _take_away(call: Call[FirstQuestion]) -> Outcome:
    take_away(question=call.row, project=project_of(call.row), now=call.now)
    said = f"“{call.row}” is not asked any more; you can put it back below."
    return Outcome(said=said, history=f"First question “{call.row}”: away.")


def _put_back(call: Call[FirstQuestion]) -> Outcome:
    put_back(question=call.row, project=project_of(call.row))
    said = f"“{call.row}” is asked again."
    return Outcome(said=said, history=f"First question “{call.row}”: back.")


ACTIONS: Mapping[str, Action[FirstQuestion]] = {
    "away": Action(label="Take away", one_click=True, run=_take_away),
    "back": Action(label="Put back", one_click=True, run=_put_back),
}


def _questions_of(project: Project) -> Any:
    rows = FirstQuestion.objects.filter(item__study=project.study_id, item__task=ONBOARDING)
    return rows.select_related("item", "picture")


def words_of(form: QuestionForm) -> dict[str, Any]:
    return {
        "caption": form.cleaned_data["caption"],
        "is_match": form.cleaned_data["is_match"] == MATCHES,
    }


def _keep(
    pages: Pages,
    request: HttpRequest,
    project: Project,
    form: QuestionForm,
    keep: Callable[[Callable[[], Picture] | None], str],
) -> bool:
    """Save the question. A refusal is shown above the form, with what was typed."""
    upload: Upload | None = form.cleaned_data["picture"]
    picturing = partial(store_picture, upload, by=signed_in(request)) if upload else None
    try:
        said = keep(picturing)
    except RuleBroken as refusal:
        form.add_error(None, str(refusal))
        return False
    pages.log_change(request, project, f"First question “{form.cleaned_data['caption']}” was kept.")
    messages.success(request, said)
    return True


def store_picture(upload: Upload, *, by: User) -> Picture:
    return upload_picture(upload=upload, concept="first question", by=by, now=timezone.now())


def _show(
    pages: Pages,
    request: HttpRequest,
    project: Project,
    form: QuestionForm,
    *,
    title: str,
    question: FirstQuestion | None = None,
) -> HttpResponse:
    context = {"title": title, "form": form, "question": question, "was_sent": request.method == "POST"}
    return pages.render(request, "admin/winoground/first_question.html", context, project=project)


def _problems(ones: FirstOnes, *, is_gated: bool) -> Iterator[str]:
    if ones.are_alike:
        yield "All of them have the same answer. Write some with the other one."
    if not is_gated and ones.questions >= FIRST_QUESTIONS:
        yield "The task has no test: any worker who meets a batch's requirements may do it."
