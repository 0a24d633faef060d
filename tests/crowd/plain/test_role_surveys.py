"""A survey of people who have worked in the study: by role, once for each of their roles."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from crowd.plain.admin.role_tables import role_tables
from crowd.plain.domain import ASK
from crowd.plain.domain.answers import values_of
from crowd.plain.domain.description_parser import read_page
from crowd.plain.domain.pages import Kind
from crowd.plain.models import Description, Project, Row
from crowd.plain.queries.asked_roles import roles_to_ask
from crowd.plain.queries.ready import ready_descriptions
from crowd.plain.queries.results import answered_rows
from crowd.plain.services.posted_rows import want_anew
from crowd.plain.services.uploading import add_rows
from crowd.questions.page_entries import Faulty
from hits import families
from hits.core.errors import InvalidItems, RuleBroken
from hits.identity.roles import RESEARCHER
from hits.providers.models.accounts import Account
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.queries.participants import roles_by_study
from hits.work.services.eligibility import refuse_entry
from hits.work.services.leasing import items_of
from qualifications.models import RefusalCount
from tests.crowd.plain.making import answer_each, ask, begin, describe, make_project, open_batch
from tests.crowd.plain.role_work import ratings, work
from tests.crowd.plain.visiting import open_hit, visit
from tests.factories import NOW, make_account, make_assignment, make_batch, make_hit, make_worker
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
SURVEY = ready_descriptions()["feedback-survey-as-in-the-paper"]
CREATE, SOLVE = "winogavil.create", "winogavil.solve"
SHORT = "title: T\nworked: role\nscale: fun\nask: Fun?\nfrom: 1\nto: 5\n"


@pytest.fixture
def account() -> Account:
    return make_account()


@pytest.fixture
def project() -> Project:
    return make_project(answers_wanted=1)


def role_of(assignment: Assignment) -> str:
    roles = [Row.objects.get(item=item).role for item in items_of(assignment)]
    return " ".join(roles)


def test_survey_asks_what_the_paper_asks() -> None:
    page = read_page(SURVEY).page
    scales = [part for part in page.questions if part.kind == Kind.SCALE]

    assert [part.ask for part in scales] == [
        "Visual Reasoning",
        "General Knowledge",
        "Associative Thinking",
        "Commonsense",
        "Abstraction",
        "Divergent Thinking",
        "Interest in play and recommend it as an online game",
        "Level of enjoyment while doing the task",
        "How clear was the UI",
    ]
    assert {(scale.options[0].code, scale.options[-1].code) for scale in scales} == {("1", "5")}
    assert {part.name: part.only_role for part in page.questions if part.only_role} == {
        "model": "Spymasters",
        "bonus": "Spymasters",
    }
    assert (page.role_column, page.roles, page.takes_rows) == ("role", ("Spymasters", "Solvers"), False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("title: T\ntext: a\nask: A?\nonly: Solvers", "no line “worked:” asks by roles"),
        ("title: T\nworked: role = Solvers\ntext: a\nask: A?\nonly: Judges", "none of the roles in line 2"),
        ("title: T\nworked: role\nsay: {{ name }}\ntext: a\nask: A?", "no other column can be named"),
        ("title: T\nworked: role\nworked: role\ntext: a\nask: A?", "said in line 2 already"),
        ("title: T\nworked: = Solvers\ntext: a\nask: A?", "followed by a name for the column"),
    ],
)
def test_fault_of_a_page_by_role_is_told(text: str, reason: str) -> None:
    assert reason in " ".join(str(fault) for fault in read_page(text).faults)


@pytest.mark.parametrize("role", ["Kings", "Respondents"])
def test_role_whose_people_are_never_asked_is_refused_with_those_that_there_are(
    project: Project, role: str
) -> None:
    with pytest.raises(InvalidItems, match=rf"gives the role {role}\. There are: .*Solvers") as refused:
        describe(project, SHORT.replace("worked: role", f"worked: role = {role}"))

    assert "Respondents" not in str(refused.value).partition("There are:")[2]
    assert not Description.objects.exists()


def test_each_role_is_a_row_and_all_of_its_people_are_asked(project: Project, account: Account) -> None:
    work(project, account, CREATE, SOLVE)
    work(project, account, SOLVE)
    work(project, account, SOLVE, status="rejected")
    work(project, account, SOLVE, kept_out=True)
    work(project, account, "winogavil.types")
    describe(project, SURVEY)

    assert ask(project) == 2

    rows = Row.objects.order_by("number").values_list("role", "cells", "item__wanted")
    assert list(rows) == [("Spymasters", {"role": "Spymasters"}, 1), ("Solvers", {"role": "Solvers"}, 2)]


def test_nobody_can_be_asked_before_somebody_has_worked(project: Project) -> None:
    describe(project, SURVEY)

    with pytest.raises(RuleBroken, match="nobody has worked yet"):
        ask(project)


def test_people_who_come_later_are_asked_by_asking_again(project: Project, account: Account) -> None:
    first = work(project, account, SOLVE)
    describe(project, SURVEY)
    ask(project)
    answer_each(open_batch(project, account=account), [ratings(4)], worker=first)
    work(project, account, SOLVE)
    work(project, account, CREATE)

    assert ask(project) == 2

    rows = Row.objects.order_by("role").values_list("role", "item__answers_needed", "item__wanted")
    assert list(rows) == [("Solvers", 2, 1), ("Spymasters", 1, 1)]


def test_who_comes_after_somebody_s_work_was_kept_out_is_asked_too(
    project: Project, account: Account
) -> None:
    both = [work(project, account, SOLVE) for _ in range(2)]
    describe(project, SURVEY)
    ask(project)
    for worker in both:
        answer_each(open_batch(project, account=account), [ratings(4)], worker=worker)
    Assignment.objects.filter(worker=both[0], hit__batch__task=SOLVE).update(kept_out=True)
    description = Description.objects.get()
    before = roles_to_ask(description)
    work(project, account, SOLVE)

    assert (before, roles_to_ask(description), ask(project)) == ({}, {"Solvers": 3}, 1)

    item = Row.objects.get().item
    assert item
    assert (item.answers_needed, item.wanted) == (3, 1)


def test_number_of_people_for_other_rows_leaves_rows_of_roles_alone(
    project: Project, account: Account
) -> None:
    for _ in range(3):
        work(project, account, SOLVE)
    describe(project, SURVEY)
    ask(project)

    want_anew(project)

    assert Row.objects.get().item.answers_needed == 3  # type: ignore[union-attr]


def test_worker_answers_once_for_each_role(project: Project, account: Account) -> None:
    both = work(project, account, CREATE, SOLVE)
    work(project, account, CREATE)
    work(project, account, SOLVE)
    describe(project, SURVEY)
    ask(project)
    batch = open_batch(project, account=account)

    asked = []
    for _ in range(3):
        begun = begin(batch, both)
        asked.append(role_of(begun))

    assert asked == ["Spymasters", "Solvers", ""]


def test_worker_is_not_asked_about_a_role_of_another_study(project: Project, account: Account) -> None:
    other = make_project()
    worker = work(other, account, CREATE)
    make_assignment(
        hit=make_hit(batch=make_batch(study=project.study, account=account, task=SOLVE, status="open")),
        worker=worker,
        status="approved",
        submitted_at=NOW,
    )
    work(project, account, CREATE)
    describe(project, SURVEY)
    ask(project)
    batch = open_batch(project, account=account)

    assert [role_of(begin(batch, worker)), role_of(begin(batch, worker))] == ["Solvers", ""]


def test_leasing_looks_at_studies_that_ask_roles_alone_by_two_queries(
    project: Project, account: Account, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    worker = work(project, account, CREATE)
    for others in (make_project() for _ in range(3)):
        batch = make_batch(study=others.study, account=account, task=SOLVE, status="open")
        make_assignment(hit=make_hit(batch=batch), worker=worker, status="approved", submitted_at=NOW)
    describe(project, SURVEY)
    ask(project)

    with django_assert_num_queries(2):
        narrowed = families.get(ASK).narrow_items(Item.objects.all(), worker_id=worker.pk)  # type: ignore[attr-defined]
        items = list(narrowed)

    assert [item.study_id for item in items] == [project.study_id]
    assert str(narrowed.query).count('"study_id" = ') == 1


def test_refusal_reads_the_worker_s_work_in_the_one_study(
    project: Project, account: Account, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    other = make_project()
    worker = work(project, account, CREATE)
    work(other, account, SOLVE)

    with django_assert_num_queries(1):
        roles = roles_by_study(worker.pk, studies=[project.study_id])

    assert {study: list(had) for study, had in roles.items()} == {project.study_id: ["Spymasters"]}
    assert roles_by_study(worker.pk, studies=[other.study_id]) == {}


def test_who_has_not_worked_is_refused_in_words(project: Project, account: Account) -> None:
    work(project, account, SOLVE)
    describe(project, SURVEY)
    ask(project)
    hit = make_hit(batch=open_batch(project, account=account))

    with pytest.raises(RuleBroken, match="whose work in this study counts already, as: Solvers") as refused:
        refuse_entry(hit=hit, worker=work(project, account, CREATE), now=NOW)
    refuse_entry(hit=hit, worker=work(project, account, SOLVE), now=NOW)

    assert refused.value.code == "other_role"


def test_who_has_not_worked_is_told_so_by_the_page_and_counted(
    client: Client, project: Project, account: Account
) -> None:
    work(project, account, SOLVE)
    describe(project, SURVEY)
    ask(project)

    page = visit(client, open_hit(project))

    assert page.status_code == 403
    assert "whose work in this study counts already, as: Solvers" in text_of(page)
    assert list(RefusalCount.objects.values_list("code", "count")) == [("other_role", 1)]


def test_page_without_roles_is_open_to_everybody(project: Project, account: Account) -> None:
    describe(project, SHORT.replace("worked: role\n", ""))
    ask(project)
    hit = make_hit(batch=open_batch(project, account=account))

    refuse_entry(hit=hit, worker=make_worker(account=account), now=NOW)


@pytest.mark.parametrize(("task", "questions"), [(CREATE, 14), (SOLVE, 12)])
def test_solvers_are_not_asked_about_the_bonus(
    project: Project, account: Account, task: str, questions: int
) -> None:
    worker = work(project, account, task)
    describe(project, SURVEY)
    ask(project)
    begun = begin(open_batch(project, account=account), worker)

    page = families.get(ASK).work_page(assignment=begun, items=items_of(begun))

    parts = [part for part in page.context["questions"][0]["parts"] if "ask" in part]
    assert len(parts) == questions
    assert any("performance bonus" in part["ask"] for part in parts) is (task == CREATE)


def test_answer_to_a_question_of_another_role_is_refused(project: Project, account: Account) -> None:
    worker = work(project, account, SOLVE)
    describe(project, SURVEY)
    ask(project)
    begun = begin(open_batch(project, account=account), worker)
    (item,) = items_of(begun)

    with pytest.raises(Faulty):
        families.get(ASK).check_answer(answer={str(item.public_id): ratings(3, bonus="Yes")}, items=[item])

    assert families.get(ASK).check_answer(answer={str(item.public_id): ratings(3)}, items=[item])


def test_several_choices_of_another_role_are_no_answer() -> None:
    text = (
        "title: T\nworked: role\nchoices: a\nask: A?\nonly: Solvers\noptional\n- x\n- y\nnumber: b\nask: B?\n"
    )
    page = read_page(text).page

    assert values_of(page, {"q2": "1"}, role="Judges") == {"b": 1}
    assert values_of(page, {"q2": "1"}, role="Solvers") == {"a": (), "b": 1}


def test_means_by_role_are_laid_out_as_the_paper_s_table(project: Project, account: Account) -> None:
    first, second = (work(project, account, SOLVE) for _ in range(2))
    spymaster = work(project, account, CREATE)
    describe(project, SURVEY)
    ask(project)
    batch = open_batch(project, account=account)
    answer_each(batch, [ratings(4)], worker=first)
    answer_each(batch, [ratings(5)], worker=second)
    answer_each(batch, [ratings(3, bonus="It kept me going")], worker=spymaster)
    description = Description.objects.get()

    skills, task = role_tables(description.page, list(answered_rows(description)))

    assert skills.title.startswith("Rate for the following skills")
    assert [column.title for column in task.columns][2:] == [
        "Interest in play and recommend it as an online game",
        "Level of enjoyment while doing the task",
        "How clear was the UI",
    ]
    assert [[cell.words for _, cell in row] for row in skills.shown()] == [
        ["Spymasters", "1", *["3.0"] * 6],
        ["Solvers", "2", *["4.5"] * 6],
    ]


def test_researcher_runs_the_survey_from_the_ready_page_to_the_table(
    client: Client, project: Project, account: Account
) -> None:
    worker = work(project, account, SOLVE)
    sign_in(client, RESEARCHER, project.study)
    describe_url = reverse("admin:plain_describe", args=[project.pk])
    form = client.get(describe_url, {"ready": "feedback-survey-as-in-the-paper"})
    kept = client.post(
        describe_url, {"text": form.context["text"], "seen": form.context["seen"]}, follow=True
    )
    ask_url = reverse("admin:plain_do", args=[project.pk, "ask"])
    confirmation = client.get(ask_url)
    asked = client.post(ask_url, {**dict(confirmation.context["hidden"]), "confirmed": "yes"}, follow=True)
    answer_each(open_batch(project, account=account), [ratings(4)], worker=worker)
    results = reverse("admin:plain_results", args=[project.pk])
    page, file = client.get(results), client.get(f"{results}means_2.csv")
    csv = b"".join(file.streaming_content).decode()  # type: ignore[attr-defined]

    assert "Feedback survey as in the paper" in text_of(form)
    assert "Upload rows" not in text_of(kept)
    assert "Everybody who has worked in one of these roles by now is asked once: Solvers 1." in text_of(
        confirmation
    )
    assert "Rows asked about: 1." in text_of(asked)
    assert "How clear was the UI" in text_of(page)
    assert csv.splitlines()[1:] == ["Solvers,1,4.0,4.0,4.0"]


def test_file_for_a_page_by_role_is_refused(project: Project) -> None:
    describe(project, SURVEY)

    with pytest.raises(RuleBroken, match="needs no rows of a file"):
        add_rows(project=project, content=b"role\nSolvers\n")

    assert not Row.objects.exists()
