"""The question's frame: its address, and the answers that come back from it."""

from urllib.parse import urlsplit

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.browser import Browser
from crowd.marketplace.tools.conformance.outcomes import expect, same
from crowd.marketplace.tools.conformance.questions import external, read_answer
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.worker import query_of, submit_frame

NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"
AWKWARD = [
    ("plain", "yes"),
    ("markup", "<b>&amp;</b> & \"quoted\" 'too'"),
    ("empty", ""),
    ("unicode", "naïve Übung 東京 🙂 עברית"),
    ('na<me&"', "1"),
    ("lines", "one\ntwo\n\n  three"),
]


@check(60, "preview URL has ASSIGNMENT_ID_NOT_AVAILABLE, preview submit refused")
def preview(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    hit = requester.post()
    frame = worker.preview(hit).frame
    query = query_of(frame)
    same("assignmentId", query["assignmentId"], NOT_AVAILABLE)
    same("hitId", query["hitId"], hit["HITId"])
    expect("workerId" not in query, "the preview names the worker")
    refused = submit_frame(frame, [("answer", "yes")])
    expect(400 <= refused.status < 500, f"HTTP {refused.status} for the preview's submit")
    seen = requester.hit(hit["HITId"])
    same("NumberOfAssignmentsAvailable", seen["NumberOfAssignmentsAvailable"], 1)
    same("assignments", requester.assignments(hit["HITId"]), [])


@check(61, "ExternalURL with `?a=1` keeps one `?`")
def own_query(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    hit = requester.post(Question=external("https://example.org/question?a=1"))
    for frame in (worker.preview(hit).frame, worker.accept(hit).frame):
        same(f"question marks in {frame}", frame.count("?"), 1)
        same("path", urlsplit(frame)._replace(query="").geturl(), "https://example.org/question")
        query = query_of(frame)
        same("a", query["a"], "1")
        same("hitId", query["hitId"], hit["HITId"])


@check(62, 'fields with `&<"`, empty, Unicode round-trip through the Answer XML')
def round_trip(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    work = worker.accept(requester.post())
    same("HTTP status of handing in", worker.submit(work, AWKWARD).status, 200)
    answer = requester.assignment(work.assignment_id)["Answer"]
    same("fields", sorted(read_answer(answer)), sorted(AWKWARD))


@check(63, "submit of assignmentId alone -> error; hitId not echoed; resubmit refused")
def submits(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    hit = requester.post()
    work = worker.accept(hit)
    alone = worker.submit(work, [])
    expect(400 <= alone.status < 500, f"HTTP {alone.status} for assignmentId alone")
    same("assignments", requester.assignments(hit["HITId"]), [])
    handed_in = worker.submit(work, [("hitId", hit["HITId"]), ("answer", "first")])
    same("HTTP status of handing in", handed_in.status, 200)
    same("fields", read_answer(requester.assignment(work.assignment_id)["Answer"]), [("answer", "first")])
    again = worker.submit(work, [("answer", "second")])
    expect(400 <= again.status < 500, f"HTTP {again.status} for the resubmit")
    same("fields", read_answer(requester.assignment(work.assignment_id)["Answer"]), [("answer", "first")])


@check(70, "an assignment id reused by a second worker -> records and payments stay apart")
def reused_id(bench: Bench) -> None:
    requester, first, second = bench.requester(), bench.worker(), bench.worker()
    hit = requester.post()
    returned = first.accept(hit)
    first.give_back(returned)
    work = second.accept(hit)
    same("AssignmentId of the second worker", work.assignment_id, returned.assignment_id)
    late = first.submit(returned, [("answer", "first")])
    expect(400 <= late.status < 500, f"HTTP {late.status} for the first worker's late submit")
    own_page = first.browser.get(returned.page.url)
    same("frames on the first worker's page", own_page.document.frames, [])
    same("HTTP status of handing in", second.submit(work, [("answer", "second")]).status, 200)
    [assignment] = requester.assignments(hit["HITId"])
    same("WorkerId", assignment["WorkerId"], second.external_id)
    same("fields", read_answer(assignment["Answer"]), [("answer", "second")])
    requester.api.approve_assignment(AssignmentId=work.assignment_id)
    bonus = {"AssignmentId": work.assignment_id, "BonusAmount": "1.00", "Reason": "Well done."}
    requester.refused("send_bonus", **bonus, WorkerId=first.external_id)
    requester.api.send_bonus(**bonus, WorkerId=second.external_id)
    paid = [(second.external_id, work.assignment_id, "1.00")]
    same("bonuses", requester.bonuses(HITId=hit["HITId"]), paid)


@check(64, "the task frame works with all cookies blocked")
def no_cookies(bench: Bench) -> None:
    """Go from the question page to submission in a browser that blocks third-party cookies."""
    requester = bench.product.requester
    worker, blocked = bench.worker(), Browser(cookies=False)
    hit = requester.post(Title="Without cookies", Question=external(bench.product.question_page))
    work = worker.accept(hit)
    question = blocked.get(work.frame)
    same("HTTP status of the question page", question.status, 200)
    form = question.form("/answer/")
    saved = blocked.submit(question, form, *form.choices[:2])
    same("HTTP status of the answer", saved.status, 200)
    handed_in = blocked.submit(saved, saved.form("/mturk/externalSubmit"))
    same("HTTP status of handing in", handed_in.status, 200)
    cookies = [*question.set_cookies, *saved.set_cookies, *handed_in.set_cookies]
    same("cookies set", cookies, [])
    same("AssignmentStatus", requester.assignment(work.assignment_id)["AssignmentStatus"], "Submitted")
