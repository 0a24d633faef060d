"""The quick run finds the tests that a change concerns, and nothing slow."""

from tests.quick import ROOT, concerned_by, domain_tests


def test_tests_of_a_module_are_those_of_its_name_and_those_that_import_it() -> None:
    found = concerned_by(
        ["crowd/winoventi/domain/words.py", "tests/hits/payments/test_paying.py", "README.md", "hits/gone.py"]
    )

    assert "tests/crowd/winoventi/premises/test_words.py" in found
    assert "tests/hits/payments/test_paying.py" in found
    assert [
        name
        for name in found
        if "winoventi" not in name and not name.endswith(("words.py", "test_paying.py"))
    ] == []


def test_tests_that_are_gone_are_not_run() -> None:
    assert concerned_by(["tests/hits/test_gone.py"]) == []


def test_domain_tests_start_nothing() -> None:
    found = domain_tests()

    assert "tests/crowd/winoventi/premises/test_words.py" in found
    assert "tests/config/test_embedded.py" not in found
    assert [name for name in found if "django_db" in (ROOT / name).read_text()] == []
