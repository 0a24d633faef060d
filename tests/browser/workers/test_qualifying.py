"""The whole way to work: consent, the two tests of the association game, and the work that they open.

Each worker is at the real marketplace, in frames that are denied every cookie; the test itself does the
background's work.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from django.utils import timezone
from playwright.sync_api import Frame, FrameLocator, Locator, Page, expect

from crowd.winogavil.domain import CREATE, CREATOR_TEST, SOLVE, SOLVER_TEST
from crowd.winogavil.items import Row, add_rows
from crowd.winogavil.models import Association
from crowd.winogavil.services import association_creation, association_verdicts, final_associations
from crowd.winogavil.services.seeded_associations import seed_picture_sets
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.sync.services import push_decisions, reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from qualifications.models import Consent, Demographics, Gate, Holding, RefusalCount
from qualifications.queries.consents import published_text
from qualifications.services import consenting, demographics, grading, platform, sync_grants, test_attempts
from qualifications.services.gate_holdings import set_value
from scoring.services.rival_answers import answer_waiting
from scoring.services.score_recording import judge_submitted
from tests.browser.conftest import OpenPage
from tests.browser.families.test_whole_game import DENY_STORES, without_cookies
from tests.browser.stage import launch, open_account, sign_in
from tests.conftest import Sites
from tests.factories import (
    invite,
    make_association,
    make_batch,
    make_consent_text,
    make_picture,
    make_study,
    make_user,
)
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
TEST, WORK = "Test: solve", "Solve"
WORDS = ("night", "warmth", "winter")


@dataclass(frozen=True, kw_only=True)
class Stage:
    sites: Sites
    study: Study
    account: Account
    solvers: Gate
    creators: Gate
    open_page: OpenPage

    def enter(self) -> tuple[Page, Worker]:
        """Create a new worker, signed in. Returns the page, and the row that represents the worker here."""
        person, _ = invite(now=timezone.now())
        page = self.open_page()
        sign_in(page.context, person, sites=self.sites)
        page.add_init_script(DENY_STORES)
        page.route(f"{self.sites.public}/q/**", without_cookies)
        page.route("**/beat/", lambda route: route.fulfill(status=204))
        return page, Worker.objects.known(account=self.account, external_id=person.external_id)

    def enter_qualified(self, gate: Gate) -> tuple[Page, Worker]:
        """Create a worker who agreed and passed before."""
        page, worker = self.enter()
        text = published_text(self.study)
        assert text
        consenting.give_consent(worker=worker, text=text, now=timezone.now())
        demographics.save_answers(worker=worker, answers={}, now=timezone.now())
        set_value(gate=gate, worker=worker, value=Holding.Value.PASSED, now=timezone.now())
        sync_grants.tell_holdings(now=timezone.now())
        return page, worker

    def post(self, task: str, title: str, **changes: Any) -> list[HIT]:
        """Post HITs by the real launch, which sets the requirements of the study's gates."""
        values = {"assignments_per_hit": 9, **changes}
        batch = make_batch(study=self.study, account=self.account, task=task, title=title, **values)
        if task == SOLVER_TEST:
            pictures = tuple(make_picture().pk for _ in range(5))
            rows = [Row(cue=cue, candidates=pictures, chosen=frozenset(pictures[:2])) for cue in WORDS]
            add_rows(rows, batch=batch)
        launch(batch)
        return list(batch.hits.order_by("pk"))

    def post_solver_test(self) -> list[HIT]:
        return self.post(SOLVER_TEST, TEST, items_from="file", items_per_assignment=3, hits_wanted=2)


@pytest.fixture
def stage(sites: Sites, open_page: OpenPage) -> Stage:
    """A study that asks for consent, with gates before solving and creating that the marketplace knows."""
    study, account = make_study(bonus_rules=[]), open_account(sites)
    make_consent_text(study=study, asks_demographics=True, published_at=timezone.now())
    solvers, creators = (
        Gate.objects.create(study=study, name=name, test_task=test, opens=[opens], rules=rules, items=items)
        for name, test, opens, rules, items in (
            ("Solver test", SOLVER_TEST, SOLVE, [{"measure": "jaccard", "above": 80}], 3),
            (
                "Creator test",
                CREATOR_TEST,
                CREATE,
                [{"measure": "fool", "above": 40}, {"measure": "solvable", "above": 80}],
                2,
            ),
        )
    )
    Gate.objects.update(retest_after_days=30)
    make_batch(study=study, account=account)  # a draft, so that both types are wanted
    platform.make_types(now=timezone.now())
    return Stage(
        sites=sites, study=study, account=account, solvers=solvers, creators=creators, open_page=open_page
    )


def follow_up() -> None:
    """Do the background's work."""
    now = timezone.now()
    reconciling.reconcile_everything(now=now)
    test_attempts.follow_tests(now=now)
    association_creation.make_associations(now=now)
    answer_waiting()
    association_verdicts.read_verdicts()
    judge_submitted(now=now)
    final_associations.finalize_associations(now=now)
    association_creation.credit_authors(now=now)
    push_decisions.approve_judged(now=now)
    grading.grade_waiting(now=now)
    sync_grants.tell_holdings(now=now)


def offer(page: Page, stage: Stage, title: str) -> Locator:
    page.goto(f"{stage.sites.marketplace}/")
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=title, exact=True))


def accept(page: Page, stage: Stage, title: str) -> FrameLocator:
    offer(page, stage, title).get_by_role("button", name="Accept").click()
    return page.frame_locator("iframe")


def agree(frame: FrameLocator) -> None:
    frame.get_by_label("I am 18 or older and I agree").check()
    frame.get_by_role("button", name="Agree and go on").click()


def pick(page: Page, frame: FrameLocator, cues: Iterable[str], *, right: bool) -> None:
    for association in Association.objects.filter(cue__in=list(cues)).prefetch_related("places__picture"):
        places = [place for place in association.places.all() if place.chosen == right]
        for place in places[: len(association.chosen_keys)]:
            question = frame.get_by_role("group", name=association.cue)
            key = place.picture.key if place.picture else ""
            question.locator("label", has=page.locator(f'input[value="{key}"]')).click()


def take_solver_test(page: Page, frame: FrameLocator, *, right: bool) -> None:
    for _ in WORDS:
        frame.get_by_role("button", name="Next").click()
        pick(page, frame, [frame.locator("section:visible .cue").inner_text()], right=right)
    frame.get_by_role("button", name="Next").click()
    hand_in(page, frame, "Submit")


def solve(page: Page, frame: FrameLocator) -> None:
    frame.locator(".cue").first.wait_for()
    pick(page, frame, frame.locator(".cue").all_inner_texts(), right=True)
    hand_in(page, frame, "Submit")


def hand_in(page: Page, frame: FrameLocator, name: str) -> None:
    frame.get_by_role("button", name=name).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")


def where_they_stand(page: Page, frame: FrameLocator) -> Page:
    """Open the worker's standing by the links on the page of the work, in a tab of its own."""
    with page.context.expect_page() as opened:
        frame.get_by_role("link", name="Your work and your pay").click()
    opened.value.get_by_role("link", name="Where you stand").click()
    page.bring_to_front()  # a tab in the background is slow
    return opened.value


def standing(statement: Page, gate: Gate) -> Locator:
    statement.reload()
    return statement.get_by_role("listitem").filter(
        has=statement.get_by_role("heading", name=gate.name, exact=True)
    )


def test_new_worker_consents_passes_and_works(stage: Stage) -> None:
    make_association(study=stage.study)
    stage.post_solver_test()
    stage.post(SOLVE, WORK)
    page, worker = stage.enter()
    closed = offer(page, stage, WORK)
    expect(closed.get_by_role("list", name="Why you cannot accept it")).to_contain_text(
        re.compile("Needs the qualification .*Solver test.*which you get by .Test: solve")
    )
    expect(closed.get_by_role("button", name="Accept")).to_have_count(0)
    closed.get_by_role("link", name="Preview").click()
    before = page.frame_locator("iframe").get_by_role("complementary", name="Before you start")
    expect(before).to_contain_text("people who have passed “Solver test”. If you have, accept.")
    expect(before).to_contain_text("If you have not: Look for “Test: solve”")

    frame = accept(page, stage, TEST)
    agree(frame)
    frame.get_by_label("Is English your native language?").select_option("No")
    frame.get_by_role("button", name="Save the answers").click()
    take_solver_test(page, frame, right=True)
    follow_up()
    expect(offer(page, stage, WORK)).to_contain_text("You meet all its requirements.")
    solve(page, accept(page, stage, WORK))
    follow_up()

    assert Consent.objects.get().worker == worker
    assert json.loads(Demographics.objects.get(worker=worker).answers) == {"native_english": "no"}
    assert worker.attempts.get().status == "passed"
    work = Assignment.objects.get(worker=worker, hit__batch__task=SOLVE)
    assert (work.status, work.scores.get().numerator) == ("approved", 1)


def test_who_fails_is_told_kindly_and_refused_at_a_second_try(stage: Stage) -> None:
    make_association(study=stage.study)
    hits = stage.post_solver_test()
    stage.post(SOLVE, WORK)
    page, worker = stage.enter()
    frame = accept(page, stage, TEST)
    agree(frame)
    frame.get_by_role("button", name="Skip all").click()
    statement = where_they_stand(page, frame)
    assert_forgeries_are_refused(page.frames[1], hits)
    take_solver_test(page, frame, right=False)

    # Until the platform has the result of the first test, the worker can accept the second.
    frame = accept(page, stage, TEST)
    expect(frame.get_by_role("alert")).to_contain_text("We have your answers to “Solver test”")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Return").click()
    page.wait_for_url(re.compile(r"^((?!/work/).)*$"))
    follow_up()

    found = standing(statement, stage.solvers)
    expect(found).to_contain_text("You did not pass it this time.")
    expect(found).to_contain_text("your average was 0 %, and above 80 % is needed.")
    expect(found).to_contain_text("You may try again from")
    for title in (TEST, WORK):
        closed = offer(page, stage, title)
        expect(closed.get_by_role("button", name="Accept")).to_have_count(0)
        expect(closed.get_by_role("list", name="Why you cannot accept it")).to_contain_text("Solver test")
    assert press_accept(page, stage, TEST) == 403
    assert Assignment.objects.get().worker == worker
    assert list(RefusalCount.objects.values_list("code", "count")) == [("test_waiting", 1)]


def assert_forgeries_are_refused(frame: Frame, hits: Sequence[HIT]) -> None:
    """Assert that this test's address, altered to lead to the other HIT of the test, is refused."""
    parts = urlsplit(frame.url)
    second = next(hit for hit in hits if str(hit.public_id) not in parts.path)
    query = {**dict(parse_qsl(parts.query)), "hitId": second.external_id}
    for claims in (query, {**query, "ticket": ""}, {**query, "assignmentId": "AFORGED"}):
        found = frame.evaluate(
            "async (url) => { const a = await fetch(url); return [a.status, await a.text()]; }",
            f"/q/{second.public_id}/?{urlencode(claims)}",
        )
        assert found[0] == 403
        assert 'name="token"' not in found[1]


def press_accept(page: Page, stage: Stage, title: str) -> int:
    """Post the acceptance, as if the button were there. Returns the status."""
    preview = offer(page, stage, title).get_by_role("link", name="Preview").get_attribute("href")
    token = page.locator("input[name=csrfmiddlewaretoken]").first.get_attribute("value") or ""
    answer = page.request.post(
        f"{stage.sites.marketplace}{preview}accept/", form={"csrfmiddlewaretoken": token}
    )
    return answer.status


@pytest.fixture
def easily_fooled(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Make a model that sees in every word the pictures of the returned set."""
    use_fakes(monkeypatch)
    lures: set[str] = set()
    taken, left = np.eye(8, dtype=np.float32)[:2]

    def embed(_: FakeRival, pictures: Any) -> Any:
        return np.stack([taken if picture.sha256 in lures else left for picture in pictures])

    monkeypatch.setattr(FakeRival, "embed_texts", lambda _, prompts: np.stack([taken] * len(prompts)))
    monkeypatch.setattr(FakeRival, "embed_pictures", embed)
    return lures


def test_creator_waits_for_solvers_and_then_passes(stage: Stage, easily_fooled: set[str]) -> None:
    lures, others = ([make_picture() for _ in range(count)] for count in (2, 3))
    easily_fooled |= {picture.sha256 for picture in lures}
    for task in (CREATOR_TEST, CREATE):
        sets = [([*lures, *rest], dict[str, Any]()) for rest in (others, others[::-1])]
        seed_picture_sets(study=stage.study, picture_sets=sets, task=task)
    stage.post(CREATOR_TEST, "Test: create", items_per_assignment=2)
    stage.post(CREATE, "Create")
    page, worker = stage.enter()
    expect(offer(page, stage, "Create").get_by_role("button", name="Accept")).to_have_count(0)
    frame = accept(page, stage, "Test: create")
    agree(frame)
    frame.get_by_role("button", name="Skip all").click()
    statement = where_they_stand(page, frame)

    for number, word in ((1, "night"), (2, "frost")):
        frame.get_by_role("button", name="Next").click()
        find_word(frame, number, word)
    frame.get_by_role("button", name="Next").click()
    hand_in(page, frame, "Submit")
    follow_up()
    waits = standing(statement, stage.creators)
    expect(waits).to_contain_text("Waiting")
    expect(waits).to_contain_text("once other people have answered")
    expect(waits).to_contain_text("0 of 2 parts are scored so far.")

    stage.post(SOLVE, WORK, items_per_assignment=2)
    for _ in range(3):
        solver, _ = stage.enter_qualified(stage.solvers)
        solve(solver, accept(solver, stage, WORK))
    follow_up()
    expect(standing(statement, stage.creators)).to_contain_text("You have passed “Creator test”.")
    frame = accept(page, stage, "Create")
    expect(frame.get_by_label("Your word").first).to_be_visible()
    assert worker.attempts.get().status == "passed"


def find_word(frame: FrameLocator, number: int, word: str) -> None:
    """Test a word for the last two pictures of a set, of which the model takes neither."""
    asked = frame.get_by_role("group", name=f"Set {number}")
    for place in (4, 5):
        asked.get_by_role("checkbox", name=re.compile(f"Picture {place}")).press("Space")
    asked.get_by_label("Your word").fill(word)
    with frame.owner.page.expect_response(re.compile("/ask/$")):
        asked.get_by_role("button", name="Test the model").click()
    answer_waiting()
    expect(asked.get_by_role("status")).to_contain_text("You fooled the model by 100 %")


def test_new_text_asks_again_and_withdrawal_stops_work(stage: Stage) -> None:
    for cue in WORDS:
        make_association(study=stage.study, cue=cue)
    stage.post(SOLVE, WORK, hits_wanted=3)
    page, worker = stage.enter_qualified(stage.solvers)
    solve(page, accept(page, stage, WORK))

    title = publish_another_text(stage)
    frame = accept(page, stage, WORK)
    expect(frame.get_by_role("heading", level=1)).to_have_text(title)
    agree(frame)
    statement = where_they_stand(page, frame)
    solve(page, frame)
    statement.bring_to_front()
    statement.get_by_role("link", name="Your consent and what you told us").click()
    statement.get_by_role("link", name="Withdraw your consent…").click()
    statement.get_by_role("button", name="Withdraw your consent").click()
    expect(statement.get_by_role("status")).to_contain_text("Your consent is withdrawn")

    page.bring_to_front()
    frame = accept(page, stage, WORK)
    expect(frame.get_by_role("button", name="Agree and go on")).to_be_visible()
    assert not Lease.objects.filter(assignment__worker=worker, status="leased").exists()
    agree(frame)
    solve(page, frame)
    given = Consent.objects.filter(worker=worker).order_by("pk")
    assert [(one.text.version, one.withdrawn_at is None) for one in given] == [
        (1, False),
        (2, False),
        (2, True),
    ]


def publish_another_text(stage: Stage) -> str:
    by, now = make_user(), timezone.now()
    draft = consenting.write_draft(
        study=stage.study, title="What is new", text="We ask more.", asks_demographics=True, by=by, now=now
    )
    consenting.publish_text(text=draft, seen=consenting.digest_of(draft), by=by, now=now)
    return draft.title
