"""What programs and pages that were written for the old service rely on, beyond the reference's own lines."""

import json
from datetime import UTC, datetime, timedelta

import boto3

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.browser import Browser
from crowd.marketplace.tools.conformance.outcomes import expect, same
from crowd.marketplace.tools.conformance.questions import read_answer
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import REGION, Requester, hit_input
from crowd.marketplace.tools.conformance.worker import query_of

LOOPS = [0, 1, 10, 11, 20]
FRAME_RIGHTS = {
    "allow-scripts",
    "allow-forms",
    "allow-same-origin",
    "allow-modals",
    "allow-popups",
    "allow-popups-to-escape-sandbox",
}
JSON = "application/x-amz-json-1.1"


@check(73, "assignmentId in the query string alone -> submitted")
def id_in_address(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    work = worker.accept(requester.post())
    url = f"{work.query['turkSubmitTo'].rstrip('/')}/mturk/externalSubmit?assignmentId={work.assignment_id}"
    same("HTTP status of handing in", Browser(cookies=False).post(url, [("answer", "yes")]).status, 200)
    same("fields", read_answer(requester.assignment(work.assignment_id)["Answer"]), [("answer", "yes")])


@check(74, "assignmentId, hitId and workerId alone -> submitted")
def ids_alone(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    work = worker.accept(requester.post())
    ids = [("hitId", work.query["hitId"]), ("workerId", worker.external_id)]
    same("HTTP status of handing in", worker.submit(work, ids).status, 200)
    same("fields", read_answer(requester.assignment(work.assignment_id)["Answer"]), [])


@check(75, "the site's own /mturk/externalSubmit takes open work, and takes it once")
def fixed_address(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    work = worker.accept(requester.post())
    url = f"{bench.endpoint}/mturk/externalSubmit"
    fields = [("assignmentId", work.assignment_id), ("answer", "yes")]
    answers = [Browser(cookies=False).post(url, fields).status for _ in range(2)]
    expect(answers[0] == 200 and 400 <= answers[1] < 500, f"HTTP {answers} for the first and the second")
    unknown = Browser(cookies=False).post(url, [("assignmentId", "NOSUCH"), ("answer", "yes")])
    expect(400 <= unknown.status < 500, f"HTTP {unknown.status} for an id that does not exist")
    same("fields", read_answer(requester.assignment(work.assignment_id)["Answer"]), [("answer", "yes")])


@check(76, "fields of one name -> one answer, joined by |")
def repeated_fields(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    work = worker.accept(requester.post())
    worker.submit(work, [("color", "red"), ("size", "big"), ("color", "blue")])
    fields = read_answer(requester.assignment(work.assignment_id)["Answer"])
    same("fields", sorted(fields), [("color", "red|blue"), ("size", "big")])


@check(77, "5,000 fields and 3 MB -> taken whole")
def large_answer(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    work = worker.accept(requester.post())
    given = [*((f"field{number}", str(number)) for number in range(5_000)), ("text", "ä" * 500_000)]
    same("HTTP status of handing in", worker.submit(work, given).status, 200)
    kept = read_answer(requester.assignment(work.assignment_id)["Answer"])
    expect(sorted(kept) == sorted(given), f"{len(kept)} of {len(given)} fields were kept as they were sent")


@check(78, "loops over pages that read NextToken unguarded see every HIT once")
def unguarded_loops(bench: Bench) -> None:
    for many in LOOPS:
        requester = bench.requester()
        made = [requester.post()["HITId"] for _ in range(many)]
        same(f"HITs seen of {many}", _loop_unguarded(requester), made[::-1])


def _loop_unguarded(requester: Requester) -> list[str]:
    seen: list[str] = []
    page = requester.api.list_hits()
    while page["NumResults"] > 0:
        seen += [hit["HITId"] for hit in page["HITs"]]
        page = requester.api.list_hits(NextToken=page["NextToken"])
    return seen


@check(79, "NextToken of another requester, operation or filter -> error")
def foreign_tokens(bench: Bench) -> None:
    requester, stranger = bench.requester(), bench.requester()
    hit = requester.post(MaxAssignments=9)
    token = requester.api.list_hits(MaxResults=1)["NextToken"]
    bench.worker().do(hit)
    of_assignments = requester.api.list_assignments_for_hit(HITId=hit["HITId"])["NextToken"]
    stranger.refused("list_hits", NextToken=token)
    requester.refused("list_reviewable_hits", NextToken=token)
    other = requester.post()["HITId"]
    requester.refused("list_assignments_for_hit", HITId=other, NextToken=of_assignments)


@check(80, "CreateQualificationType with TestDuration and no Test -> kept and ignored")
def duration_alone(bench: Bench) -> None:
    requester = bench.requester()
    made = requester.api.create_qualification_type(
        Name="Colors", Description="About colors.", QualificationTypeStatus="Active", TestDurationInSeconds=60
    )["QualificationType"]
    expect("Test" not in made, "the type has a test")
    same("QualificationTypeStatus", made["QualificationTypeStatus"], "Active")


@check(81, "blank Title -> error; ExpireAt in ten years -> kept; ExpireAt of a disposed HIT -> error")
def titles_and_ends(bench: Bench) -> None:
    requester = bench.requester()
    for title in ("", "   "):
        requester.refused("create_hit", **hit_input(Title=title))
    hit_id = requester.post()["HITId"]
    far = datetime.now(UTC).replace(microsecond=0) + timedelta(days=3_640)
    requester.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=far)
    same("Expiration", requester.hit(hit_id)["Expiration"], far)
    requester.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime.fromtimestamp(0, UTC))
    requester.api.delete_hit(HITId=hit_id)
    requester.refused("update_expiration_for_hit", HITId=hit_id, ExpireAt=far)


@check(82, "SNS: a topic of one's own takes a policy and a permission, and lists its subscriptions")
def topics(bench: Bench) -> None:
    requester = bench.requester()
    sns = boto3.session.Session().client(
        "sns",
        region_name=REGION,
        endpoint_url=requester.endpoint,
        aws_access_key_id=requester.keys.access_key_id,
        aws_secret_access_key=requester.keys.secret_access_key,
    )
    topic = sns.create_topic(Name="old-program")["TopicArn"]
    policy = json.dumps({"Version": "2012-10-17", "Statement": []})
    sns.set_topic_attributes(TopicArn=topic, AttributeName="Policy", AttributeValue=policy)
    sns.add_permission(TopicArn=topic, Label="mturk", AWSAccountId=["123456789012"], ActionName=["Publish"])
    kept = json.loads(sns.get_topic_attributes(TopicArn=topic)["Attributes"]["Policy"])
    same("statements of the policy", len(kept["Statement"]), 1)
    same("subscriptions", sns.list_subscriptions()["Subscriptions"], [])


@check(83, "a call at an address beside the endpoint -> JSON that names the endpoint")
def wrong_address(bench: Bench) -> None:
    sent = Browser(cookies=False).send(
        f"{bench.endpoint}/mturk/", data=b"{}", headers={"Content-Type": JSON, "X-Amz-Target": "X.GetHIT"}
    )
    expect(400 <= sent.status < 500, f"HTTP {sent.status}")
    expect(
        "json" in sent.headers.get("content-type", ""), f"the answer is {sent.headers.get('content-type')}"
    )
    expect(bench.endpoint in json.loads(sent.text)["Message"], "the answer does not name the endpoint")


@check(84, "/mturk/preview?groupId= leads to the HIT; its frame may ask and open ordinary tabs")
def old_preview(bench: Bench) -> None:
    requester, worker = bench.requester(), bench.worker()
    hit = requester.post()
    page = worker.browser.get(f"{bench.endpoint}/mturk/preview?groupId={hit['HITTypeId']}")
    same("HTTP status of the old address", page.status, 200)
    same("hitId in the frame's address", query_of(page.frame)["hitId"], hit["HITId"])
    [rights] = page.document.sandboxes
    same("rights of the frame", set(rights.split()), FRAME_RIGHTS)
