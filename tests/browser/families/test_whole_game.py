"""Two spymasters and six solvers play a picture set to its end in real frames; another worker tries to cheat.

In the frames every cookie and every store is denied, as browsers do to third parties.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.utils import timezone
from playwright.sync_api import Frame, FrameLocator, Locator, Page, Route, expect

from crowd.winogavil.domain import CREATE, SOLVE, WINOGAVIL_TIERS
from crowd.winogavil.models import Association, Solution
from crowd.winogavil.services import association_creation, association_verdicts, final_associations
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual
from hits.studies.models import Batch, Study
from hits.sync.services import push_decisions, reconciling
from hits.work.models.assignments import Assignment
from scoring.models import RivalQuery, Score
from scoring.services.rival_answers import answer_waiting
from scoring.services.score_recording import judge_submitted
from tests.browser.conftest import OpenPage
from tests.browser.stage import launch, open_account, sign_in
from tests.conftest import Sites
from tests.factories import invite, make_batch, make_picture, make_study
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
# A script that denies stores, as a browser does in a frame of another site whose cookies it blocks.
DENY_STORES = """
if (window !== top) {
  const refuse = { get() { throw new DOMException("denied", "SecurityError"); } };
  for (const name of ["sessionStorage", "localStorage", "indexedDB", "caches"])
    Object.defineProperty(window, name, refuse);
  Object.defineProperty(Document.prototype, "cookie", { get: () => "", set() {} });
}
"""
# Bonuses for a word that all solvers solve.
TIERS = tuple(
    (least, Decimal(pay)) for least, pay in ((80, "0.27"), (67, "0.18"), (60, "0.07"), (50, "0.03"), (0, 0))
)
CONCEPTS = ("owl", "moon", "bat", "snowman", "ice", "fire")
WORDS = {0: (("night", (1, 2)), ("cold", (4, 5))), 1: (("dark", (1, 3)), ("melting", (5, 6)))}


@dataclass(frozen=True, kw_only=True)
class Stage:
    sites: Sites
    study: Study
    create: Batch
    solving: Batch
    open_page: OpenPage

    def enter(self) -> Page:
        """Open a page for a new worker, signed in, whose frames are denied every cookie."""
        worker, _ = invite(now=timezone.now())
        page = self.open_page()
        sign_in(page.context, worker, sites=self.sites)
        page.add_init_script(DENY_STORES)
        page.route(f"{self.sites.public}/**", without_cookies)
        page.route("**/beat/", lambda route: route.fulfill(status=204))
        return page


def without_cookies(route: Route) -> None:
    route.continue_(
        headers={name: value for name, value in route.request.headers.items() if name != "cookie"}
    )


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def stage(sites: Sites, open_page: OpenPage) -> Stage:
    study = make_study(bonus_rules=[dict(rule) for rule in WINOGAVIL_TIERS])
    seed_picture_set(study=study, pictures=[make_picture(concept=concept) for concept in CONCEPTS])
    account = open_account(sites)
    create, solving = (
        make_batch(study=study, account=account, task=task, title=title, **changes)
        for task, title, changes in (
            (CREATE, "Find words", {"assignments_per_hit": 3, "hits_wanted": 1}),
            (
                SOLVE,
                "Which pictures",
                {"assignments_per_hit": 6, "hits_wanted": 1, "items_per_assignment": 2},
            ),
        )
    )
    return Stage(sites=sites, study=study, create=create, solving=solving, open_page=open_page)


def accept(page: Page, stage: Stage, title: str) -> FrameLocator:
    page.goto(f"{stage.sites.marketplace}/")
    offer = page.get_by_role("listitem").filter(has_text=title)
    offer.get_by_role("button", name="Accept").click()
    return page.frame_locator("iframe")


def slot(frame: FrameLocator | Locator, number: int) -> Any:
    return frame.get_by_role("group", name=f"Word {number}")


def put_word(
    page: Page, frame: FrameLocator | Locator, number: int, cue: str, places: tuple[int, ...]
) -> None:
    """Write a word and choose its pictures by keyboard: Space picks."""
    for place in places:
        slot(frame, number).get_by_role("checkbox", name=re.compile(f"Picture {place}")).press("Space")
    slot(frame, number).get_by_label("Your word").fill(cue)
    with page.expect_response(re.compile("/ask/$")):
        slot(frame, number).get_by_label("Your word").press("Enter")
    answer_waiting()
    expect(slot(frame, number).get_by_role("status")).to_contain_text("You fooled the model by")


def invent(page: Page, stage: Stage, words: tuple[tuple[str, tuple[int, ...]], ...]) -> None:
    frame = accept(page, stage, "Find words")
    for number, (cue, places) in enumerate(words, start=1):
        put_word(page, frame, number, cue, places)
    frame.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")


def solve(page: Page, stage: Stage) -> list[str]:
    """Solve the HIT all right. Returns the words that this worker was shown."""
    frame = accept(page, stage, "Which pictures")
    # It ends the page: the words stand before it, and reading them waits for none.
    expect(frame.get_by_role("button", name="Submit")).to_be_attached()
    cues: list[str] = frame.locator(".cue").all_inner_texts()
    for association in Association.objects.filter(cue__in=cues):
        for key in association.chosen_keys:
            question = frame.get_by_role("group", name=association.cue)
            question.locator("label", has=page.locator(f'input[value="{key}"]')).click()
    frame.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    return cues


def follow_up() -> None:
    """Do the background's work."""
    now = timezone.now()
    reconciling.reconcile_everything(now=now)
    association_creation.make_associations(now=now)
    answer_waiting()
    association_verdicts.read_verdicts()
    judge_submitted(now=now)
    final_associations.finalize_associations(now=now)
    association_creation.credit_authors(now=now)
    push_decisions.approve_judged(now=now)
    accrual.owe_bonuses(now=now)


def test_a_picture_set_is_played_to_its_end(stage: Stage) -> None:
    launch(stage.create)
    spymasters = [stage.enter() for _ in WORDS]
    for number, page in enumerate(spymasters):
        invent(page, stage, WORDS[number])
    follow_up()
    launch(stage.solving)

    shown = [solve(stage.enter(), stage) for _ in range(6)]
    follow_up()

    words = [cue for pair in WORDS.values() for cue, _ in pair]
    assert sorted(cue for cues in shown for cue in cues) == sorted(words * 3)
    assert Solution.objects.count() == 12
    assert [one.solvers_mean == 1 for one in Association.objects.all()] == [True] * 4
    fool = {
        rival_query.text: rival_query.verdict.fool_score
        for rival_query in RivalQuery.objects.all()
        if rival_query.verdict
    }
    owed = sum((bonus.amount for bonus in Bonus.objects.all()), Decimal(0))
    assert Score.objects.filter(measure="fool").count() == 4
    assert Assignment.objects.filter(status="approved").count() == 8
    assert owed == sum(
        (next(pay for least, pay in TIERS if score >= least) for score in fool.values()), Decimal(0)
    )


class Cheater:
    """A client that sends from within its own frame whatever a script there could send."""

    def __init__(self, page: Page, frame: Frame) -> None:
        self.page, self.frame = page, frame
        self.token: str = frame.locator("input[name=token]").first.input_value()
        self.hit = urlsplit(frame.url).path.split("/")[2]

    def post(self, verb: str, fields: list[tuple[str, str]], *, token: str | None = None) -> dict[str, Any]:
        body = urlencode([("token", self.token if token is None else token), *fields])
        sent = """async ([url, body]) => {
          const headers = { "Content-Type": "application/x-www-form-urlencoded" };
          const answer = await fetch(url, { method: "POST", headers, body, credentials: "omit" });
          return { status: answer.status, text: await answer.text() };
        }"""
        found: dict[str, Any] = self.frame.evaluate(sent, [f"/q/{self.hit}/{verb}/", body])
        return found


def cheat_with(page: Page) -> Cheater:
    page.frame_locator("iframe").locator("input[name=token]").first.wait_for(state="attached")
    return Cheater(page, page.frames[1])


def test_a_spymaster_has_one_chance_and_no_oracle(stage: Stage) -> None:
    launch(stage.create)
    page = stage.enter()
    page.goto(f"{stage.sites.marketplace}/")
    page.get_by_role("link", name="Preview").click()
    page.frame_locator("iframe").get_by_text("This is a practice example").wait_for()
    preview = page.frames[1]
    assert preview.locator("input[name=token]").count() == 0
    oracle = preview.evaluate(
        "async (url) => (await fetch(url, { method: 'POST', body: new URLSearchParams('slot=1') })).status",
        f"{urlsplit(preview.url).path}ask/",
    )
    assert (oracle, RivalQuery.objects.count()) == (400, 0)

    frame = accept(page, stage, "Find words")
    put_word(page, frame, 1, "night", (1, 2))
    cheater = cheat_with(page)
    asked = [("slot", "1"), ("cue", "winter"), ("chosen", "3"), ("chosen", "4")]
    again = cheater.post("ask", asked)
    assert '"text": "night"' in again["text"]
    for fields, words in (
        ([("slot", "3"), *asked[1:]], "which word"),
        ([("slot", "2"), ("cue", "NIGHT"), *asked[2:]], "used this word for other pictures"),
        ([("slot", "2"), ("cue", "snowman"), *asked[2:]], "names one of the pictures"),
        ([("slot", "2"), ("cue", "cold"), ("chosen", "9"), ("chosen", "1")], "not on this page"),
        ([("slot", "2"), ("cue", "cold"), ("chosen", "1")], "may be chosen"),
    ):
        assert words in cheater.post("ask", fields)["text"]
    early = cheater.post("answer", [])
    assert early["status"] == 400
    assert "Word 2 was not put to the model yet" in early["text"]
    assert (RivalQuery.objects.count(), Assignment.objects.get().status) == (1, "opened")


def test_a_returned_hit_is_no_second_chance(stage: Stage) -> None:
    launch(stage.create)
    page = stage.enter()
    put_word(page, accept(page, stage, "Find words"), 1, "night", (1, 2))
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Return").click()
    page.wait_for_url(re.compile(r"^((?!/work/).)*$"))
    page.wait_for_timeout(2000)  # two acceptances within a moment would be one

    frame = accept(page, stage, "Find words")

    expect(frame.get_by_role("heading", level=1)).to_contain_text("Nothing")
    assert RivalQuery.objects.count() == 1


def test_a_solver_gets_nothing_by_cheating(stage: Stage) -> None:
    launch(stage.create)
    author = stage.enter()
    invent(author, stage, WORDS[0])
    follow_up()
    launch(stage.solving)

    # The author accepts, and has nothing to solve.
    frame = accept(author, stage, "Which pictures")
    expect(frame.get_by_role("heading", level=1)).to_contain_text("Nothing")

    page = stage.enter()
    accept(page, stage, "Which pictures")
    cheater = cheat_with(page)
    fields = dict.fromkeys(
        cheater.frame.locator("fieldset input").evaluate_all("all => all.map(one => one.name)")
    )
    [first, second] = [Association.objects.get(item__public_id=name) for name in fields]
    right = {name: Association.objects.get(item__public_id=name).chosen_keys for name in fields}
    assert_pictures_look_alike(cheater.frame)

    name = str(first.item.public_id)
    others = [(str(second.item.public_id), key) for key in right[str(second.item.public_id)]]
    one_too_few = [(name, next(iter(right[name]))), *others]
    unknown = [(name, "unknown"), (name, next(iter(right[name]))), *others]
    twice = [(name, next(iter(right[name])))] * 2 + others
    for picks in (one_too_few, unknown, twice, []):
        assert cheater.post("answer", picks)["status"] == 400
    assert Assignment.objects.filter(answer__isnull=False, hit__batch=stage.solving).count() == 0

    assert_forgeries_are_refused(cheater)
    good = [(name, key) for name, keys in right.items() for key in keys]
    assert cheater.post("answer", good)["status"] == 200
    assert cheater.post("answer", good)["status"] == 409
    follow_up()
    assert not Bonus.objects.exists()


def assert_pictures_look_alike(frame: Frame) -> None:
    """Assert that nothing in the source distinguishes the pictures that belong from the others."""
    labels: list[str] = frame.locator("label.picture").evaluate_all("all => all.map(one => one.outerHTML)")
    # Each has the name of its place, and the key of its place.
    of_place = r'Picture \d+|data-key="\d"|aria-keyshortcuts="\d"'
    plain = {re.sub(rf'/pictures/[^/"]+/|value="[^"]+"|name="[^"]+"|{of_place}', "", one) for one in labels}
    assert len(plain) == 1
    source = frame.content()
    assert not any(concept in source for concept in CONCEPTS if len(concept) > 3)


def assert_forgeries_are_refused(cheater: Cheater) -> None:
    """Assert that another worker's id, an unsigned ticket and a token of another page are refused."""
    parts = urlsplit(cheater.frame.url)
    query = dict(parse_qsl(parts.query))
    forged = [
        {**query, "workerId": "AFORGED"},
        {**query, "ticket": query["ticket"][:-2] + "xx"},
        {**query, "assignmentId": "AFORGED"},
        {**query, "turkSubmitTo": "https://example.org"},
    ]
    for claims in forged:
        found = cheater.frame.evaluate(
            "async (url) => { const a = await fetch(url); return [a.status, await a.text()]; }",
            f"{parts.path}?{urlencode(claims)}",
        )
        assert found[0] >= 400
        assert 'name="token"' not in found[1]
    for token in ("", "x", cheater.token[:-3] + "abc"):
        assert cheater.post("answer", [], token=token)["status"] >= 400
