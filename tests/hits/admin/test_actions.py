"""Actions on a row: confirmed before they are done, refused in words, and no input is lost."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from django import forms
from django.contrib.messages import get_messages
from django.contrib.messages.storage.fallback import FallbackStorage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory

from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize, one_by_one, unless_ticked
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from tests.factories import make_user
from tests.pages import text_of

pytestmark = pytest.mark.django_db


class WordForm(forms.Form):
    word = forms.CharField(label="Word", max_length=5)


class Scene:
    """Rows that are words, and a user who sends requests about them."""

    def __init__(self, user: User | None = None) -> None:
        self.user = user or make_user(is_superuser=True)
        self.done: list[dict[str, Any]] = []
        self.history: list[str] = []
        self.said: list[str] = []

    def pages(self, *, page: Any = None, **options: Any) -> ActionPages[str]:
        options.setdefault("run", self.run)
        return ActionPages(
            actions={"eat": Action(label="Eat", **options)},
            find=self.find,
            back=lambda _: "/back/",
            url=lambda row, key: f"/{row}/{key}/",
            carried=lambda rows: [("keys", ",".join(rows))],
            history=lambda _, rows, words: self.history.append(f"{rows[0]}: {words}"),
            page=page,
        )

    def find(self, _: HttpRequest, name: str) -> list[str]:
        if name == "hidden":
            raise Http404
        return name.split(",")

    def run(self, call: Call[str]) -> Outcome:
        self.done.append(dict(call.values))
        return Outcome(said="Eaten.", history="eaten", problems=["a.", "b.", "c.", "d."])

    def request(self, method: str, sent: dict[str, Any] | None = None) -> HttpRequest:
        request = getattr(RequestFactory(), method)("/list/?q=1", sent or {})
        request.user, request.session = self.user, {}
        request._messages = FallbackStorage(request)
        return request  # type: ignore[no-any-return]

    def answer(
        self,
        pages: ActionPages[str],
        sent: dict[str, Any] | None = None,
        *,
        key: str = "eat",
        name: str = "apple",
        in_list: bool = False,
    ) -> Any:
        request = self.request("get" if sent is None else "post", sent)
        if in_list:
            answer: Any = pages.answer_list(request, key, name.split(","))
        else:
            answer = pages.answer(request, key, name=name)
        self.said = [str(message) for message in get_messages(request)]
        if hasattr(answer, "render"):
            answer.context_data["available_apps"] = []
            answer.render()
        return answer


@pytest.fixture
def scene() -> Scene:
    return Scene()


def break_a_rule(code: str) -> Callable[[Call[str]], Outcome]:
    def run(_: Call[str]) -> Outcome:
        raise RuleBroken(code, "No apples today.")

    return run


def word_form(data: Any, _: Call[str]) -> WordForm:
    return WordForm(data)


def test_get_asks_with_what_it_means_and_post_does_it(scene: Scene) -> None:
    pages = scene.pages(
        confirm=lambda call: Confirm(
            text=f"The {call.row} <is> gone.", consequences=["Nobody else has it."], hidden=[("seen", "7")]
        )
    )

    asked = scene.answer(pages)

    page = text_of(asked)
    assert (asked.status_code, scene.done) == (200, [])
    assert all(words in page for words in ("The apple &lt;is&gt; gone.", "<li>Nobody else has it.</li>"))
    assert '<input type="hidden" name="seen" value="7">' in page
    assert 'href="/back/"' in page
    done = scene.answer(pages, {})
    assert (done.status_code, done["Location"], len(scene.done)) == (302, "/back/", 1)
    assert scene.history == ["apple: eaten"]
    assert scene.said == ["Eaten.", "a. b. c. And 1 more."]


def test_unknown_actions_rows_and_people_without_the_permission_are_turned_away(scene: Scene) -> None:
    pages = scene.pages(permissions=["hits.steer_batch"])
    nobody = Scene(make_user(is_staff=True))

    sendings: list[dict[str, Any] | None] = [None, {}]
    for sent in sendings:
        with pytest.raises(Http404):
            scene.answer(pages, sent, key="drink")
        with pytest.raises(Http404):
            scene.answer(pages, sent, name="hidden")
        with pytest.raises(PermissionDenied):
            nobody.answer(pages, sent)
        with pytest.raises(PermissionDenied):
            nobody.answer(pages, sent, in_list=True)

    assert scene.done == []
    assert pages.offered("apple", user=nobody.user) == []
    assert pages.offered("apple", user=scene.user) == [pages.offer("apple", "eat")]
    assert pages.offer("apple", "eat").url == "/apple/eat/"


def test_what_cannot_be_done_now_leads_back_before_anything_is_asked(scene: Scene) -> None:
    pages = scene.pages(refuses=lambda call: f"The {call.row} is green.", offered=lambda row: row == "pear")

    answers = [scene.answer(pages), scene.answer(pages, {})]

    assert [answer["Location"] for answer in answers] == ["/back/", "/back/"]
    assert (scene.said, scene.done) == (["The apple is green."], [])
    assert pages.offered("apple", user=scene.user) == []


@pytest.mark.parametrize(
    ("word", "run", "status"), [("much too long", None, 400), ("worm", break_a_rule("no_apples"), 409)]
)
def test_refused_form_is_shown_again_with_what_was_typed(
    scene: Scene, word: str, run: Any, status: int
) -> None:
    answer = scene.answer(scene.pages(form=word_form, run=run or scene.run), {"word": word})

    page = text_of(answer)
    assert (answer.status_code, f'value="{word}"' in page, scene.done) == (status, True, [])
    assert 'class="errorlist' in page


def test_refused_form_stands_on_a_page_that_shows_more(scene: Scene) -> None:
    pages = replace(scene.pages(form=word_form), template="admin/hits/project_fields.html")

    answer = scene.answer(pages, {"word": "much too long"})

    assert (answer.status_code, answer.template_name) == (400, "admin/hits/project_fields.html")
    assert 'value="much too long"' in text_of(answer)


def test_refusal_without_a_form_or_of_what_changed_meanwhile_leads_back(scene: Scene) -> None:
    plain = scene.pages(run=break_a_rule("no_apples"))
    changed = scene.pages(run=break_a_rule("changed_meanwhile"), form=word_form)

    answers = [scene.answer(plain, {}), scene.answer(changed, {"word": "worm"})]

    assert [answer["Location"] for answer in answers] == ["/back/", "/back/"]
    assert (scene.said, scene.history) == (["No apples today."], [])


def test_what_changed_is_shown_anew_with_what_was_typed_where_the_page_says_so(scene: Scene) -> None:
    pages = scene.pages(
        run=break_a_rule("changed_meanwhile"), form=word_form, shown_anew=True, undone="Nothing was eaten."
    )

    answer = scene.answer(pages, {"word": "worm"})

    page = text_of(answer)
    assert (answer.status_code, 'value="worm"' in page) == (409, True)
    assert "No apples today. Nothing was eaten." in page


def test_two_steps_ask_for_the_number_and_then_show_what_it_means(scene: Scene) -> None:
    pages = scene.pages(
        form=word_form, two_steps=True, confirm=lambda call: Confirm(text=str(call.values.get("word", "?")))
    )

    first, second = scene.answer(pages), scene.answer(pages, {"word": "worm", "asked": "yes"})

    assert ["Go on" in text_of(page) for page in (first, second)] == [True, False]
    assert ["<p>?</p>" in text_of(first), "<p>worm</p>" in text_of(second)] == [True, True]
    assert '<input type="hidden" name="word" value="worm"' in text_of(second)
    assert scene.done == []
    scene.answer(pages, {"word": "worm", "confirmed": "yes"})
    assert scene.done == [{"word": "worm"}]


def test_what_the_second_step_names_itself_is_sent_instead_of_what_was_typed(scene: Scene) -> None:
    pages = scene.pages(form=word_form, two_steps=True, confirm=lambda _: Confirm(hidden=[("word", "bug")]))

    page = scene.answer(pages, {"word": "worm", "asked": "yes"}).content.decode()

    assert page.count('name="word"') == 1
    assert '<input type="hidden" name="word" value="bug">' in page


def looking(scene: Scene, **options: Any) -> ActionPages[str]:
    """Make pages whose action counts the letters of a word first, and refuses the word "worm"."""

    def confirm(call: Call[str]) -> Confirm:
        word = call.values.get("word", "")
        if word == "worm":
            raise RuleBroken("worm", "No worms today.")
        return Confirm(text="Words.", cost=f"{len(word)} letters." if word else "", button="Eat it")

    return scene.pages(form=word_form, looks_first="Count", confirm=confirm, **options)


def look(scene: Scene, pages: ActionPages[str], **query: str) -> str:
    request = scene.request("get", query)
    answer: Any = pages.answer(request, "eat", name="apple")
    answer.context_data["available_apps"] = []
    return str(answer.render().content.decode())


def test_action_that_looks_first_is_done_only_from_what_it_would_come_to(scene: Scene) -> None:
    pages = looking(scene)

    first, second = look(scene, pages), look(scene, pages, asked="yes", word="plum")

    assert [("Count" in page, "Eat it" in page) for page in (first, second)] == [(True, False), (True, True)]
    assert "4 letters." in second
    assert second.count('id="id_word"') == 1
    assert '<input type="hidden" name="word" value="plum">' in second
    unseen = scene.answer(pages, {"word": "plum"})
    assert (unseen.status_code, scene.done) == (200, [])
    scene.answer(pages, {"word": "plum", "confirmed": "yes"})
    assert scene.done == [{"word": "plum"}]


def test_what_cannot_be_looked_at_is_said_and_has_no_button(scene: Scene) -> None:
    page = look(scene, looking(scene), asked="yes", word="worm")

    assert "No worms today." in page
    assert "Eat it" not in page
    assert 'value="worm"' in page


def test_refused_action_that_looks_first_shows_anew_what_it_would_come_to(scene: Scene) -> None:
    pages = looking(scene, run=break_a_rule("closed"), undone="Nothing was eaten.")

    answer = scene.answer(pages, {"word": "plum", "confirmed": "yes"})

    page = text_of(answer)
    assert answer.status_code == 409
    assert "No apples today. Nothing was eaten." in page
    assert "4 letters." in page


def test_form_from_elsewhere_leads_to_the_page_where_it_has_to_be_confirmed(scene: Scene) -> None:
    pages = scene.pages(needs_confirmed=True, form=word_form)

    asked = scene.answer(pages, {"keys": "1"})

    assert (asked.status_code, scene.done) == (200, [])
    assert '<input type="hidden" name="confirmed" value="yes">' in text_of(asked)
    assert 'class="errorlist' not in text_of(asked)


def test_list_asks_on_its_own_address_and_carries_its_selection(scene: Scene) -> None:
    pages = scene.pages(form=word_form)
    selection = {"action": "eat", "_selected_action": ["1", "2"], "select_across": "0", "index": "0"}

    asked = scene.answer(pages, selection, name="apple,pear", in_list=True)

    page = asked.content.decode()
    assert (asked.status_code, 'class="errorlist' in page, scene.done) == (200, False, [])
    assert page.count('name="_selected_action"') == 2
    assert 'href="/list/?q=1"' in page
    scene.answer(pages, {**selection, "confirmed": "yes", "word": "worm"}, name="apple,pear", in_list=True)
    assert scene.done == [{"word": "worm"}]


def test_list_confirms_exactly_the_rows_that_were_seen(scene: Scene) -> None:
    request = scene.request("post", {"action": "eat", "select_across": "1", "_selected_action": ["1"]})

    asked: Any = scene.pages().answer_list(request, "eat", ["apple", "pear"], keys=[1, 2])

    assert asked.context_data["hidden"] == [
        ("action", "eat"),
        ("select_across", "0"),
        ("_selected_action", 1),
        ("_selected_action", 2),
        ("confirmed", "yes"),
    ]


def test_one_click_on_a_list_does_it(scene: Scene) -> None:
    scene.answer(scene.pages(one_click=True), {"action": "eat"}, name="apple,pear", in_list=True)

    assert len(scene.done) == 1


def test_what_is_blocked_has_no_button(scene: Scene) -> None:
    too_dear = Confirm(problem="Too dear.", is_blocked=True)

    page = scene.answer(scene.pages(confirm=lambda _: too_dear, form=word_form))

    assert ("Too dear." in text_of(page), 'name="word"' in text_of(page)) == (True, False)
    assert '<button class="button' not in text_of(page)


def test_form_that_stands_on_the_page_of_its_row_is_refused_there(scene: Scene) -> None:
    def page(_: HttpRequest, rows: Sequence[str], form: forms.BaseForm) -> HttpResponse:
        return HttpResponse(f"{rows[0]}: {form.errors.as_text()}", status=422)

    answer = scene.answer(scene.pages(page=page, form=word_form), {"word": "much too long"})

    assert answer.status_code == 422
    assert "apple: * word" in text_of(answer)


def test_history_is_of_the_row_that_an_outcome_names(scene: Scene) -> None:
    scene.answer(scene.pages(run=lambda _: Outcome(history="stays", logged="pear")), {}, name="apple,pear")

    assert scene.history == ["pear: stays"]


def test_names_are_set_in_bold_and_escaped() -> None:
    text = emphasize("You delete {} of {count}.", "<b>", count="2 & more")

    assert text == "You delete <strong>&lt;b&gt;</strong> of 2 &amp; more."


def test_address_of_one_action_alone_and_a_box_that_has_to_be_ticked(scene: Scene) -> None:
    view = scene.pages(refuses=unless_ticked("Tick the box.")).view("eat")

    for sent in ({}, {"confirmed": "no"}, {"confirmed": "yes"}):
        request = scene.request("post", sent)
        answer = view(request, name="apple")
        scene.said += [str(message) for message in get_messages(request)]
        assert answer["Location"] == "/back/"

    assert scene.said[:3] == ["Tick the box.", "Tick the box.", "Eaten."]
    assert len(scene.done) == 1


def test_list_asks_and_sends_what_it_carries_to_the_address_of_the_action(scene: Scene) -> None:
    pages = scene.pages(form=word_form)
    request = scene.request("post", {"action": "eat", "confirmed": "yes", "word": "worm"})

    asked: Any = pages.ask_list(request, "eat", ["apple", "pear"], at="/eat/")

    asked.context_data["available_apps"] = []
    page = text_of(asked.render())
    assert (asked.status_code, scene.done) == (200, [])
    assert 'action="/eat/"' in page
    assert '<input type="hidden" name="keys" value="apple,pear">' in page
    assert 'name="action"' not in page


def test_what_fails_for_one_row_is_done_for_the_others() -> None:
    eaten: list[str] = []

    def eat(name: str) -> None:
        if name == "pear":
            raise RuleBroken("green", "It is green.")
        eaten.append(name)

    done, problems = one_by_one(["apple", "pear", "plum"], eat)

    assert (done, problems, eaten) == (2, ["pear: It is green."], ["apple", "plum"])


def test_words_are_asked_for_kept_as_one_line_and_missed_in_words(scene: Scene) -> None:
    pages = scene.pages(form=words_form("why", "Why?", longest=9, lines=3, missing="Say why."))

    missed = scene.answer(pages, {"why": " \n "})
    scene.answer(pages, {"why": "a\n b "})

    assert (missed.status_code, "Say why." in text_of(missed)) == (400, True)
    assert scene.done == [{"why": "a b"}]
