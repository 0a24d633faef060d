"""Each action and each form of the admin has an address in the REST API, or a reason why it has none."""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from django.urls import get_resolver
from drf_spectacular.generators import EndpointEnumerator

from hits.admin.actions import Action
from hits.admin.actions.action_pages import ActionPages
from tests.hits.api.admin_addresses import form_addresses

ROOMS = ("hits", "scoring", "qualifications", "crowd")
# Calls that give actions their pages, wherever these are made.
PAGED = ("ActionPages", "project_actions")

# Actions whose service is called by a method of a view, which answers with more than words.
DIRECT = {
    "hits.admin.batches.batch_actions:pause": "POST batches/{public_id}/pause/",
    "hits.admin.batches.batch_actions:resume": "POST batches/{public_id}/resume/",
    "hits.admin.batches.batch_actions:release-pilot": "POST batches/{public_id}/release-pilot/",
    "hits.admin.batches.batch_actions:extend": "POST batches/{public_id}/extend/",
    "hits.admin.batches.batch_actions:add-hits": "POST batches/{public_id}/top-up/",
    "hits.admin.batches.batch_actions:add-places": "POST batches/{public_id}/top-up/",
    "hits.admin.batches.batch_actions:drain": "POST batches/{public_id}/drain/",
    "hits.admin.batches.batch_actions:cancel": "POST batches/{public_id}/cancel/",
    "hits.admin.work.hit_actions:expire": "POST hits/expire/",
    "hits.admin.work.hit_actions:extend": "POST hits/extend/",
    "hits.admin.work.hit_actions:add-places": "POST hits/add-places/",
    "hits.admin.people.worker_blocks:soft": "POST workers/{public_id}/block/",
    "hits.admin.people.worker_blocks:hard": "POST workers/{public_id}/block/",
    "hits.admin.review.assignments:approve": "POST assignments/{public_id}/decide/",
    "hits.admin.review.assignments:reject": "POST assignments/{public_id}/decide/",
    "hits.admin.review.assignments:keep_out": "POST assignments/{public_id}/decide/",
    "qualifications.admin.many_holdings:give": "POST holdings/{pk}/give/",
    "qualifications.admin.many_holdings:revoke": "POST holdings/{pk}/revoke/",
    "crowd.pictures.admin.picture_actions:fit": "POST pictures/{pk}/fit/",
    "crowd.pictures.admin.picture_actions:unfit": "POST pictures/{pk}/unfit/",
    "crowd.winogavil.admin.picture_set_draw:draw": "POST association-games/{public_id}/draw/",
    "crowd.winogavil.admin.swow_baseline:make": "POST association-games/{public_id}/baseline/",
    "crowd.winogavil.admin.test_generation:make": "POST association-games/{public_id}/test-questions/",
    "crowd.winogavil.annotation.admin.annotations:draw": (
        "POST association-games/{public_id}/draw-annotations/"
    ),
    "crowd.winogavil.play.admin.game_actions:feedback": "POST association-games/{public_id}/daily-feedback/",
    "crowd.winogavil.play.admin.game_actions:make": "POST association-games/{public_id}/web-game/",
    "crowd.whoops.images.admin.own_category_pages:replace": "POST whoops/projects/{pk}/replace-categories/",
    "crowd.whoops.images.admin.own_category_pages:share": "POST whoops/projects/{pk}/share-categories/",
    "crowd.whoops.judge.admin.pairs_and_lists:lists": "POST whoops/projects/{pk}/make-lists/",
    "crowd.whoops.judge.admin.pairs_and_lists:pairs": "POST whoops/projects/{pk}/draw-pairs/",
    "crowd.whoops.judge.admin.words_of_models:making": "POST whoops/projects/{pk}/make-questions/",
    "crowd.whoops.judge.admin.words_of_models:taking": "POST whoops/projects/{pk}/take-words/",
    "crowd.whoops.judge.admin.words_of_models:withdrawing": "POST whoops/projects/{pk}/withdraw-answered/",
    "crowd.whoops.judge.admin.samples:draw": "POST whoops/projects/{pk}/draw-sample/",
    "crowd.whoops.review.admin.partner_actions:find": "POST whoops/projects/{pk}/find-partners/",
    "crowd.whoops.design.admin.designer_page:active": "POST whoops/designers/{public_id}/let-in/",
    "crowd.winoground.admin.example_verbs:describe": "POST winoground/examples/{public_id}/describe/",
    "crowd.winoground.admin.onboarding:away": "POST winoground/first-questions/{pk}/away/",
    "crowd.winoground.admin.onboarding:back": "POST winoground/first-questions/{pk}/back/",
    "crowd.winoground.admin.example_verbs:draft": "POST winoground/examples/{public_id}/draft/",
    "crowd.winoground.admin.example_verbs:gendered": "POST winoground/examples/{public_id}/gendered/",
    "crowd.winoground.admin.example_verbs:ready": "POST winoground/examples/{public_id}/ready/",
    "crowd.winoground.admin.example_verbs:restore": "POST winoground/examples/{public_id}/restore/",
    "crowd.winoground.admin.example_verbs:withdraw": "POST winoground/examples/{public_id}/withdraw/",
    "crowd.winoventi.admin.step_actions:advance": "POST winoventi/steps/{pk}/advance/",
    "crowd.winoventi.admin.step_actions:read": "POST winoventi/steps/{pk}/read-nouns/",
    "crowd.winoventi.admin.step_actions:score": "POST winoventi/steps/{pk}/score/",
    "hits.admin.row_merge:merge": "POST whoops/categories/merge/",
    "scoring.admin.attention_actions:forget": "POST attention-items/{pk}/forget/",
    "scoring.admin.attention_actions:state": "POST attention-items/",
    "scoring.admin.attention_actions:take": "POST attention-items/take/",
    "hits.admin.data.result_pages:remove": "POST whoops/matching-scores/{pk}/remove/",
}

# What no program may do: Actions by module and key, and addresses of forms by name; some by how both begin.
REASONS = {
    "hits.admin.payments.": "no token pays anybody: people decide on pages what is owed, held and paid",
    "hits_study_change": "shows the study; its form is on the page of its settings",
    "hits_run_": "no token pays anybody",
    "hits.admin.review.rule_pages:decide": "a program reads the work, and chooses what it decides on itself",
    "hits_assignment_undo_all": "a program waits with what it is not sure of: the minute is for people",
    "hits_halts": "no token stops or resumes payments",
    "hits_deposits": "no token keeps the books",
    "hits_difference_": "no token keeps the books",
    "hits_ledger_study": "a file of the books for people; the list of the ledger tells its rows",
    "hits.admin.identity.tokens:": "a token that has leaked must not end the others; its owner does",
    "hits_apitoken_": "a token must not make another, which would outlive it",
    "hits_alerts": "what a person is told is chosen by that person",
    "hits_alerts_": "tries a message, marks what a person has seen, or shows the key of an address once",
    "login": "signs a person in",
    "logout": "signs a person out",
    "password_change": "Django's own page of a person's password",
    "auth_": "gives people their rights and passwords",
    "hits_user_": "gives people their rights",
    "hits_account_": "the keys of a provider are typed on the page alone",
    "hits_study_delete": "no role may delete a study",
    "hits_study_bonus_table": "draws a table while it is typed, and keeps nothing",
    "winoground_words": "names gendered words while a caption is typed, and keeps nothing",
    "plain_preview": "draws a page while it is typed, and keeps nothing",
    "hits_worker_find": "finds a worker by the provider's id, which no program is told",
    "hits_worker_id": "tells the provider's id, which no program is told",
    "hits_auditevent_file": "a file of who did what, for whoever is to check it",
    "qualifications.admin.demographics:erase": "a person reads first what erasing means for a worker",
    "qualifications.admin.demographics:lift": "a person reads first what a worker has said of their age",
    "hits_second_factor_": "is about a person's own sign-in, which a token has no part in",
    "hits_staff_sessions_": "is about a person's own sign-in, which a token has no part in",
    "hits.admin.identity.user_sign_in:": "is about people's sign-in, which a token has no part in",
    "hits.admin.data.purge_pages:": "a person reads first what is erased for good, and what stays",
    "plain_take": "a file for people; the lists of its family tell its rows",
    "whoops_take": "a file for people; the lists of its family tell its rows",
    "winoground_take": "a file for people; the lists of its family tell its rows",
    "winoventi_data": "a file for people; the lists of its family tell its rows",
    "winogavil_annotations_file": "a file for people; the list of annotations tells its rows",
    "play_surveys": "a file of what players say of themselves, of which a download is on record",
    "crowd.rehearsal.admin.rehearsal_actions:": "people ask for a rehearsal and read it, before a launch",
    "rehearsal_": "people ask for a rehearsal and read it, before a launch",
    "whoops_designer_link": "the link signs a designer in, and is shown to people alone",
}


def admin_verbs() -> dict[str, Action[Any] | None]:
    """Return the actions of the whole admin by module and key; None for one that is made by each request."""
    assert get_resolver().url_patterns
    verbs: dict[str, Action[Any] | None] = {}
    seen: set[int] = set()
    for name, module in sorted(sys.modules.items()):
        rooms = name.split(".")
        if rooms[0] in ROOMS and "admin" in rooms and module.__file__:
            # One that a module takes from another keeps the name that it has there.
            found = {key: verb for key, verb in _verbs_of(module) if verb is None or id(verb) not in seen}
            seen |= {id(verb) for verb in found.values()}
            verbs |= {f"{name}:{key}": verb for key, verb in found.items()}
    return verbs


def _verbs_of(module: ModuleType) -> Iterator[tuple[str, Action[Any] | None]]:
    tree = ast.parse(Path(str(module.__file__)).read_text())
    own = [getattr(module, name) for name in _assigned(tree)]
    keyed = dict(pair for value in own for pair in _actions_in(value))
    named = {name: value for name in _assigned(tree) if isinstance(value := getattr(module, name), Action)}
    for key, written in _paged(tree):
        if isinstance(written, ast.Name) and written.id in named:
            keyed[key] = named[written.id]
        elif key not in keyed:
            yield key, None
    known = {id(action) for action in keyed.values()}
    yield from keyed.items()
    yield from ((name.lower(), action) for name, action in named.items() if id(action) not in known)


def _assigned(tree: ast.Module) -> Iterator[str]:
    """Return the names that the module itself gives to values, and not those that it imports."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def _actions_in(value: Any) -> Iterator[tuple[str, Action[Any]]]:
    pages = value.actions if isinstance(value, ActionPages) else value
    if isinstance(pages, Mapping):
        for key, inner in pages.items():
            if isinstance(inner, Action):
                yield str(key), inner
            else:
                yield from _actions_in(inner)


def _paged(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Return the keys and values of actions that functions give to pages."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in PAGED:
            continue
        for given in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(given, ast.Dict):
                for key, value in zip(given.keys, given.values, strict=True):
                    if isinstance(key, ast.Constant):
                        yield str(key.value), value


def endpoints() -> Iterator[tuple[str, Any]]:
    """Return method and address below /api/, with the view."""
    enumerator: Any = EndpointEnumerator(patterns=get_resolver().url_patterns)
    for path, _, method, view in enumerator.get_api_endpoints():
        yield f"{method} {path.removeprefix('/api/')}", view


def pages_sent_elsewhere() -> Iterator[tuple[str, str]]:
    """Return the admin's forms that resources say they take, each with method and address."""
    for cls in {view.cls for view in ADDRESSES.values()}:
        actions = {
            view.actions[address.partition(" ")[0].lower()]: address
            for address, view in ADDRESSES.items()
            if view.cls is cls and hasattr(view, "actions")
        }
        for name, taken_by in getattr(cls, "admin_pages", {}).items():
            yield name, taken_by if " " in taken_by else actions.get(taken_by, f"{cls.__name__}.{taken_by}")


def _has_reason(name: str) -> bool:
    return any(_is_under(one, name) for one in REASONS)


def _is_under(reason: str, name: str) -> bool:
    return name == reason or (reason[-1] in ".:_" and name.startswith(reason))


VERBS = admin_verbs()
FORMS = form_addresses()
ADDRESSES = dict(endpoints())
RUN = {id(verb.action) for view in ADDRESSES.values() for verb in getattr(view.cls, "verbs", {}).values()}
TAKEN = dict(pages_sent_elsewhere())
ADDRESSED = {name for name, action in VERBS.items() if id(action) in RUN} | DIRECT.keys() | TAKEN.keys()
OFFERED = VERBS.keys() | FORMS.keys()


def test_each_action_and_each_form_of_the_admin_has_an_address_or_a_reason() -> None:
    lacking = {name for name in OFFERED if name not in ADDRESSED and not _has_reason(name)}

    assert (len(VERBS) > 60, len(FORMS) > 100) == (True, True)
    assert sorted(lacking) == []


def test_addresses_and_reasons_are_about_what_exists() -> None:
    addresses = {**DIRECT, **TAKEN}
    assert {name: address for name, address in addresses.items() if address not in ADDRESSES} == {}
    assert sorted(addresses.keys() - OFFERED) == []
    assert [one for one in REASONS if not any(_is_under(one, name) for name in OFFERED)] == []
    assert [name for name in ADDRESSED if _has_reason(name)] == []


def test_a_form_whose_view_reads_no_post_is_none() -> None:
    assert {"hits_batch_launch", "whoops_owe_images", "winogavil_game_add", "papers_set_up"} <= FORMS.keys()
    assert not {"hits_batch_live", "whoops_samples", "hits_bonus_change", "hits_run_manifest"} & FORMS.keys()
