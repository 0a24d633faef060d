"""A marketplace of the first release, with work in it, brought to this one."""

import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest

from tests.config.processes import manage, scratch_environ

ROWS = """
insert into marketplace_requester
  (id, external_id, name, fee_schedule, available, ticket_key_sealed, created_at)
  values (1, 'AREQUESTER', 'A lab', 'none', 9.70, '', THEN);
insert into marketplace_worker (id, external_id, name, created_at)
  values (1, 'AFIRST', 'First worker', THEN), (2, 'ASECOND', 'Second worker', THEN);
insert into marketplace_hittype
  (id, requester_id, external_id, digest, title, description, keywords, reward, assignment_duration_s,
   auto_approval_delay_s, requirements)
  values (1, 1, 'OPENTYPE', 'a', 'Open', '', '', 0.10, 60, 60, '[]'),
         (2, 1, 'DONETYPE', 'b', 'Done', '', '', 0.10, 60, 60, '[]');
insert into marketplace_hit
  (id, requester_id, hit_type_id, external_id, question, external_url, frame_height, annotation,
   max_assignments, pending, submitted, approved, rejected, fee, created_at, expires_at, closed_at)
  values (1, 1, 1, 'OPENHIT', '', 'https://example.org', 0, '', 2, 0, 1, 0, 0, 0, THEN, LATER, null),
         (2, 1, 2, 'DONEHIT', '', 'https://example.org', 0, '', 2, 0, 0, 1, 1, 0, THEN, LATER, THEN);
insert into marketplace_assignment
  (id, hit_id, worker_id, external_id, attempt, status, accepted_at, deadline_at, answer, feedback)
  values (1, 1, 1, 'WAITING', 1, 'Submitted', THEN, LATER, '', ''),
         (2, 2, 1, 'APPROVED', 1, 'Approved', THEN, LATER, '', ''),
         (3, 2, 2, 'REJECTED', 1, 'Rejected', THEN, LATER, '', '');
insert into marketplace_bonuspayment (assignment_id, worker_id, amount, reason, granted_at)
  values (2, 1, 0.05, 'Well done', THEN);
insert into marketplace_ledgerentry (requester_id, account, amount, transfer, subject, created_at)
  values (1, 'available', -0.40, 'aa', 'HITs', THEN), (1, 'held', 0.40, 'aa', 'HITs', THEN),
         (1, 'held', -0.10, 'bb', 'APPROVED', THEN), (1, 'workers', 0.10, 'bb', 'APPROVED', THEN),
         (1, 'held', -0.10, 'cc', 'REJECTED', THEN), (1, 'available', 0.10, 'cc', 'REJECTED', THEN);
"""


@pytest.fixture
def upgraded(tmp_path: Path) -> sqlite3.Connection:
    environ = scratch_environ(tmp_path)
    migrate = ("migrate", "--database", "marketplace", "--verbosity", "0", "marketplace")
    manage(*migrate, "0001", environ=environ)
    database = sqlite3.connect(tmp_path / "marketplace.sqlite3")
    script = ROWS.replace("THEN", "'2026-11-01 12:00:00'").replace("LATER", "'2026-12-01 12:00:00'")
    database.executescript(script)
    manage(*migrate, environ=environ)
    return database


def test_upgrade_counts_what_was_done_before(upgraded: sqlite3.Connection) -> None:
    workers = upgraded.execute(
        "select submitted, approved, rejected, earned, owed from marketplace_worker order by id"
    ).fetchall()
    types = upgraded.execute("select is_listed from marketplace_hittype order by id").fetchall()
    (held,) = upgraded.execute("select on_hold from marketplace_requester").fetchone()

    assert [row[:3] for row in workers] == [(2, 1, 0), (1, 0, 1)]
    assert [[f"{amount:.2f}" for amount in row[3:]] for row in workers] == [["0.15"] * 2, ["0.00"] * 2]
    assert types == [(1,), (0,)]
    assert f"{held:.2f}" == str(Decimal("0.20"))
    upgraded.close()
