"""The tests that CI runs on PostgreSQL and Redis: those about what can differ there.

These are locks and races, constraints and triggers, JSON, sums, orders and searches, the wire, and promises
that hold after a crash. Every module outside of these lists runs in the embedded form alone, because its
results are the same on any database. A plain `pytest` has all of them in the embedded form, and so has CI's
long run.
"""

import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# Folders and modules below tests/, and what can differ there.
ON_POSTGRES = {
    "config/test_emptying.py": "locks, triggers and foreign keys, each in its own way",
    "config/test_laying.py": "schemas",
    "crowd/compensation": "money",
    "crowd/frame/test_beats.py": "rows that many requests write",
    "crowd/frame/test_verdicts.py": "locks between a page and its rival",
    "crowd/marketplace": "the wire, its money, its races and its rates",
    "crowd/papers/test_paper_setup.py": "JSON and locks",
    "crowd/papers/test_setup_races.py": "races",
    "crowd/pictures/test_adding.py": "digests that are unique",
    "crowd/pictures/test_admin_pool.py": "searches",
    "crowd/pictures/test_checking.py": "states",
    "crowd/pictures/test_flagged.py": "locks and states",
    "crowd/pictures/test_importing.py": "rows in bulk",
    "crowd/pictures/test_reporting.py": "counts",
    "crowd/pictures/test_wanted.py": "orders and counts",
    "crowd/statement": "sums",
    "crowd/whoops/annotate/test_collected_annotations.py": "JSON and locks",
    "crowd/whoops/images/test_categories.py": "orders",
    "crowd/whoops/results/test_exporting.py": "JSON and orders",
    "crowd/whoops/judge/test_pairs_and_lists.py": "locks",
    "crowd/whoops/judge/test_votes.py": "counts",
    "crowd/whoops/review/test_image_decisions.py": "locks",
    "crowd/whoops/review/test_image_decisions_races.py": "races",
    "crowd/whoops/design/test_designer_pay.py": "money",
    "crowd/whoops/review/test_harm_review.py": "states",
    "crowd/whoops/results/test_statistics_pages.py": "sums",
    "crowd/plain/test_results.py": "JSON and counts",
    "crowd/plain/test_rows.py": "JSON and locks",
    "crowd/winogavil/annotation": "draws that are exclusive, and counts",
    "crowd/winogavil/play": "races of players, and counts",
    "crowd/winogavil/releases": "rows in bulk, sums and JSON",
    "crowd/winogavil/test_drawing.py": "locks",
    "crowd/winogavil/test_growing.py": "locks",
    "crowd/winogavil/test_making.py": "locks",
    "crowd/winogavil/test_pulling.py": "locks",
    "crowd/winogavil/replaying/test_replay.py": "JSON",
    "crowd/winogavil/replaying/test_replay_kill.py": "what crashes must not undo",
    "crowd/winogavil/replaying/test_replay_races.py": "races",
    "crowd/winogavil/test_swow_baseline.py": "locks and rows in bulk",
    "crowd/winogavil/test_review_core.py": "locks",
    "crowd/winogavil/test_services.py": "constraints",
    "crowd/winogavil/test_starvation.py": "locks",
    "crowd/winoground/asking/test_races.py": "races",
    "crowd/winoground/test_author_races.py": "races",
    "crowd/winoground/test_authoring.py": "constraints",
    "crowd/winoground/test_exporting.py": "JSON and orders",
    "crowd/winoground/asking/test_posting.py": "locks",
    "crowd/winoground/test_scoring.py": "sums",
    "crowd/winoground/test_tags.py": "counts",
    "crowd/winoventi/challenge": "statistics",
    "crowd/winoventi/challenge/test_evaluations.py": "sums",
    "crowd/winoventi/filter/test_adversarial_filter.py": "JSON",
    "crowd/winoventi/test_apart_policy.py": "races",
    "crowd/winoventi/test_people.py": "counts",
    "crowd/winoventi/test_pipeline.py": "locks and JSON",
    "crowd/winoventi/test_races.py": "races",
    "crowd/winoventi/associations/test_model_readings.py": "rows in bulk",
    "crowd/winoventi/test_replay_kill.py": "what crashes must not undo",
    "hits": "money, locks, states and sums",
    "promise": "what crashes must not undo",
    "qualifications": "locks of the door, JSON of the gates and counts",
    "scoring/test_answering.py": "locks between rivals",
    "scoring/test_asking.py": "locks",
    "scoring/test_judging.py": "scores that are written once",
    "scoring/test_score_readers.py": "JSON",
    "scoring/test_model_questions.py": "JSON",
    "scoring/test_voting.py": "counts",
}
# Modules of those folders that are about pages or files, and ask the database for nothing new.
ONCE = {
    "crowd/marketplace/test_agreement.py",
    "crowd/marketplace/question_forms/test_answer_key.py",
    "crowd/marketplace/control/test_commands.py",
    "crowd/marketplace/control/test_conformance.py",
    "crowd/marketplace/question_forms/test_content.py",
    "crowd/marketplace/notifying/test_delivery_addresses.py",
    "crowd/marketplace/notifying/test_delivery_sns.py",
    "crowd/marketplace/notifying/test_delivery_sqs.py",
    "crowd/marketplace/desk_pages/test_sign_in.py",
    "crowd/marketplace/test_domain.py",
    "crowd/marketplace/site_pages/test_frames.py",
    "crowd/marketplace/site_pages/test_fuzz_pages.py",
    "crowd/marketplace/control/test_marketplace_command.py",
    "crowd/marketplace/question_forms/test_questions.py",
    "crowd/marketplace/question_forms/test_filling.py",
    "crowd/marketplace/question_forms/test_form.py",
    "crowd/marketplace/question_forms/test_html.py",
    "crowd/marketplace/qualifications/test_requirements.py",
    "crowd/marketplace/site_pages/test_worker_site.py",
    "crowd/marketplace/site_pages/test_sign_in.py",
    "crowd/marketplace/site_pages/test_forms.py",
    "crowd/marketplace/site_pages/test_headers.py",
    "crowd/marketplace/site_pages/test_hostile.py",
    "crowd/marketplace/site_pages/test_qualifications.py",
    "crowd/marketplace/site_pages/test_settings.py",
    "crowd/winogavil/annotation/test_admin.py",
    "crowd/winogavil/play/test_accounts.py",
    "crowd/winogavil/play/test_admin.py",
    "crowd/winogavil/play/test_pages.py",
    "crowd/winogavil/releases/test_admin.py",
    "crowd/winogavil/releases/test_recorded.py",
    "hits/admin/test_add_forms.py",
    "hits/admin/test_project_page.py",
    "hits/api/test_api_schema.py",
    "hits/api/test_api_walkthrough.py",
    "hits/batches/test_guide.py",
    "hits/batches/test_guide_wrong.py",
    "hits/core/test_bonus_rules.py",
    "hits/core/test_bonus_table_form.py",
    "hits/core/test_money_rules.py",
    "hits/identity/test_people_pages.py",
    "hits/identity/test_permissions.py",
    "hits/identity/test_roles.py",
    "hits/people/test_message_pages.py",
    "hits/providers/test_account_pages.py",
    "hits/providers/test_signatures.py",
    "hits/review/test_appeal_pages.py",
    "hits/sync/test_account_checks.py",
    "qualifications/test_admin.py",
    "qualifications/association_lists/test_files.py",
    "qualifications/consents/test_admin.py",
    "qualifications/test_gate_admin.py",
    "qualifications/test_grading_pages.py",
    "qualifications/at_provider/test_provider_test.py",
    "qualifications/at_provider/test_refusals.py",
    "qualifications/test_rules.py",
}


# Tests that need a server, a browser or a foreign program have one of these marks.
NEEDS = re.compile(r"\bneeds_(postgres|redis|chromium|uv)\b")


def can_differ(item: pytest.Item) -> bool:
    """Whether another database can change the result. Pure tests need no database, or bring their own."""
    return is_listed(item.path) and item.get_closest_marker("pure") is None


@cache
def is_listed(module: Path) -> bool:
    path = module.relative_to(TESTS)
    return any(path.is_relative_to(place) for place in ON_POSTGRES) and str(path) not in ONCE


def runs_once(module: Path) -> bool:
    """Whether the run on PostgreSQL needs nothing from this module."""
    return module.suffix == ".py" and not is_listed(module) and NEEDS.search(module.read_text()) is None
