"""The participants' side in a browser: choose who you are, take part, return, open again, finish."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from crowd.marketplace.tools.prolific.pages.page_markup import (
    STYLE,
    button,
    link,
    page,
    paragraph,
    study_article,
    submission_article,
)
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.completion_actions import NO_CODE, finish
from crowd.marketplace.tools.prolific.state.entities import Participant, Submission
from crowd.marketplace.tools.prolific.state.prolific_world import World, find
from crowd.marketplace.tools.prolific.state.taking_part import (
    add_participant,
    come_back,
    entry_address,
    open_again,
    reserve,
    return_place,
    studies_for,
    take_part,
)

COOKIE = "stand_in_participant"
HOME = "/participants/"
HTML = {"Content-Type": "text/html; charset=utf-8"}


@dataclass(frozen=True, kw_only=True)
class Shown:
    status: int = 200
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: HTML)


def answer_page(
    world: World,
    *,
    method: str,
    path: str,
    query: Mapping[str, str],
    fields: Mapping[str, str],
    cookies: Mapping[str, str],
) -> Shown:
    """A refusal is a page, too."""
    try:
        if method == "POST":
            return _post(world, path, fields)
        return _get(world, path, query, cookies)
    except Refused as refusal:
        again = f"<p>{link(HOME, 'All participants')}</p>\n"
        return Shown(status=refusal.status, text=page("This can't be done", paragraph(str(refusal)), again))


def _get(world: World, path: str, query: Mapping[str, str], cookies: Mapping[str, str]) -> Shown:
    if path == "/":
        return _redirect(HOME)
    if path == "/stand-in.css":
        return Shown(text=STYLE, headers={"Content-Type": "text/css; charset=utf-8"})
    if path == HOME:
        return Shown(text=_people_page(world))
    if path == "/submissions/complete":
        return _finish_page(world, query.get("cc", ""), cookies)
    participant = find(world.participants, path.removeprefix(HOME).removesuffix("/"))
    cookie = {"Set-Cookie": f"{COOKIE}={participant.id}; Path=/; SameSite=Lax; HttpOnly"}
    return Shown(text=_home_page(world, participant), headers={**HTML, **cookie})


def _post(world: World, path: str, fields: Mapping[str, str]) -> Shown:
    if path == HOME:
        return _redirect(f"{HOME}{add_participant(world).id}/")
    verb = path.removeprefix(HOME).removesuffix("/")
    if verb in ("take-part", "reserve"):
        study = find(world.studies, fields.get("study", ""))
        participant = find(world.participants, fields.get("participant", ""))
        if verb == "take-part":
            return _redirect(entry_address(world, take_part(world, study, participant)))
        reserve(world, study, participant)
        return _redirect(f"{HOME}{participant.id}/")
    return _change(world, verb, find(world.submissions, fields.get("submission", "")))


def _change(world: World, verb: str, submission: Submission) -> Shown:
    if verb == "open":
        return _redirect(open_again(world, submission))
    if verb == "return":
        return_place(world, submission, world.now())
    elif verb == "finish-without-code":
        finish(world, submission, NO_CODE, world.now())
    else:
        raise Refused(404, "Not found.")
    return _redirect(f"{HOME}{submission.participant.id}/")


def _people_page(world: World) -> str:
    people = "".join(
        f"<li>{link(f'{HOME}{one.id}/', one.id)}{' (test participant)' if one.is_test else ''}</li>\n"
        for one in world.participants.values()
    )
    chosen = f"<ul>\n{people}</ul>\n" if people else paragraph("There is nobody yet.")
    return page("Who are you?", chosen, button(HOME, "Add a participant", about="a new one"))


def _home_page(world: World, participant: Participant) -> str:
    studies = "".join(
        study_article(
            study,
            buttons=_choices(study.fields["name"], study=study.id, participant=participant.id),
        )
        for study in studies_for(world, participant)
    )
    own = [one for one in world.submissions.values() if one.participant is participant]
    submissions = "".join(submission_article(one, buttons=_buttons(one)) for one in reversed(own))
    return page(
        f"Participant {participant.id}",
        f"<p>{link(HOME, 'All participants')}</p>\n<h2>Studies</h2>\n",
        studies or paragraph("There is no study for you at the moment."),
        "<h2>Your submissions</h2>\n",
        submissions or paragraph("There are none."),
    )


def _choices(name: str, **hidden: str) -> str:
    return button(f"{HOME}take-part/", "Take part", about=name, **hidden) + button(
        f"{HOME}reserve/", "Reserve a place", about=name, **hidden
    )


def _buttons(submission: Submission) -> str:
    name = submission.study.fields["name"]
    verbs = []
    if submission.status in ("RESERVED", "ACTIVE", "TIMED-OUT"):
        verbs.append(("open", "Open the study"))
    if submission.status in ("ACTIVE", "TIMED-OUT"):
        verbs.append(("finish-without-code", "Finish without a code"))
    if submission.status in ("RESERVED", "ACTIVE", "AWAITING REVIEW"):
        verbs.append(("return", "Return the place"))
    return "".join(
        button(f"{HOME}{verb}/", text, about=name, submission=submission.id) for verb, text in verbs
    )


def _finish_page(world: World, code: str, cookies: Mapping[str, str]) -> Shown:
    """A reload shows the same page and finishes nothing twice."""
    participant = world.participants.get(cookies.get(COOKIE, ""))
    if participant is None:
        raise Refused(403, "Choose who you are first: this browser has not said which participant it is.")
    submission = come_back(world, participant, code)
    article = submission_article(submission, buttons="")
    back = f"<p>{link(f'{HOME}{participant.id}/', 'Back to the studies')}</p>\n"
    return Shown(text=page("Thank you", article, back))


def _redirect(address: str) -> Shown:
    return Shown(status=303, headers={**HTML, "Location": address})
