# Short commands. Each line can be copied and run without just (`pip install rust-just`).

# Lists them.
_default:
    @just --list --unsorted

# Makes the environment, and lets git check what is committed.
setup:
    uv sync
    uvx pre-commit install

# Lint, types, domain tests, and the tests of the rooms that differ from main: under a minute.
quick:
    uv run python -m tests.quick

# The whole suite, or a part of it: `just test tests/hits -k bonus`.
test *args:
    uv run pytest {{args}}

# Everything that must hold before a change lands.
ci:
    .ci/run

# What CI's linters say.
lint:
    uv run ruff check .
    uv run ruff format --check .
    uv run lint-imports
    uv run python -m tests.house
    uv run deptry .
    uv run djlint --lint --quiet config crowd hits qualifications scoring
    uv run oxlint
    uv run python -m tests.stylesheets
    uv run python -m tests.catalogs
    uv run hadolint --ignore DL3008 config/deploy/Dockerfile

# What a program can mend by itself.
fix:
    uv run ruff check --fix .
    uv run ruff format .
    uv run oxlint --fix

# Brings the texts of the code into the catalogs of all languages, and compiles those that are complete.
catalogs:
    uv run python -m tests.catalogs refresh

# Strict types.
types:
    uv run mypy .

# Plays a task family with simulated workers: `just demo --family whoops`.
demo *args:
    uv run manage.py demo {{args}}

# The embedded form, with data that stays.
serve:
    uv run manage.py serve

# What can be measured, and one measurement: `just bench verdicts`.
benches:
    @ls tests/bench/*.py | xargs -n 1 basename | grep -v __init__ | sed 's/\.py$//'
bench name *args:
    uv run python -m tests.bench.{{name}} {{args}}

# Brings every dependency up to date.
pins:
    uv run manage.py refresh_pins
