"""The people and the study that a demo begins with."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.management.commands.demo import Command
from crowd.demo.demo_people import make_cast
from hits.identity.models.users import User
from hits.ledger.queries import checks_of, entries_of, movements, statement_of

pytestmark = pytest.mark.django_db


def test_a_demo_has_somebody_who_manages_people_and_is_not_the_one_of_the_desk() -> None:
    cast = make_cast(workers=1, bonus_rules=[])

    assert cast.operator in cast.staff
    assert cast.operator.user.has_perms(["hits.add_user", "hits.change_user"])
    assert cast.operator.user.username != cast.desk_operator
    assert not User.objects.filter(username=cast.desk_operator).exists()


def test_the_demo_says_what_each_of_its_people_does(capsys: pytest.CaptureFixture[str]) -> None:
    cast = make_cast(workers=1, bonus_rules=[])
    demo: Any = SimpleNamespace(cast=cast, for_a_worker="solve", leave=list, pages=list, sites=list)

    Command()._tell_what_to_see(demo)

    said = capsys.readouterr().out
    assert f"{cast.operator.user.username}  password" in said
    assert "operator of the installation: adds people, gives roles" in said
    assert "the marketplace's operator, at its desk alone" in said
    assert "manage.py doctor" in said


def test_books_of_a_demo_hold_from_the_first_moment() -> None:
    study = make_cast(workers=1, bonus_rules=[]).study

    checks = checks_of(study, statement_of(movements(entries_of([study]))))

    assert {check.words: (check.ours, check.theirs) for check in checks if check.ours != check.theirs} == {}


def test_a_demo_that_is_not_posted_at_prolific_says_where_it_is() -> None:
    with pytest.raises(CommandError, match=r"The demo of whoops is posted at marketplace alone\."):
        call_command("demo", family="whoops", provider="prolific")
