from fractions import Fraction

from django.db import migrations

TASK, MEASURE = "associations", "jaccard"
LONGEST = 64
GROUPS = {"game, 5 & 6 candidates": (5, 6), "game, 10 & 12 candidates": (10, 12)}


def keep_predictions(apps, schema_editor):
    """Each model's predictions become a result of the benchmark of their release, under the same public id.

    Their answers were not kept, so the result has its sums and no items.
    """
    releases = apps.get_model("releases", "Release")
    results = apps.get_model("benchmarks", "Result").objects
    for release in releases.objects.filter(predictions__isnull=False).distinct():
        predictions = release.predictions.order_by("pk")
        benchmark = benchmark_of(apps, release, made_at=predictions[0].made_at)
        taken = {name.lower() for name in benchmark.results.values_list("name", flat=True)}
        for one in predictions:
            name = free_name(one.model, taken)
            tallies = one.tallies.values_list("from_list", "size", "items", "numerator", "denominator")
            results.create(
                public_id=one.public_id,
                benchmark=benchmark,
                name=name,
                source="uploaded",
                status="done",
                about=one.notes,
                answered=one.rows,
                provenance={"file_sha256": one.sha256, **({} if name == one.model else {"name": one.model})},
                sums=sums_of((*key, Fraction(top, bottom)) for *key, top, bottom in tallies),
                added_at=one.made_at,
                added_by_id=one.made_by_id,
            )


def benchmark_of(apps, release, *, made_at):
    """Return the benchmark, with rows for people and chance, which the sweep counts."""
    benchmarks, results = (apps.get_model("benchmarks", name).objects for name in ("Benchmark", "Result"))
    benchmark, is_new = benchmarks.get_or_create(release=release, task=TASK, defaults={"made_at": made_at})
    for source, name in (("people", "Solvers"), ("chance", "Chance")) if is_new else ():
        results.create(benchmark=benchmark, source=source, name=name, status="open", added_at=made_at)
    return benchmark


def sums_of(parts):
    """Return the sums over all items and over each kind of them, as results have them."""
    counted = {}
    for from_list, size, items, total in parts:
        for kind in kinds_of(from_list, size):
            before = counted.get(kind, (0, Fraction(0)))
            counted[kind] = (before[0] + items, before[1] + total)
    return [
        {"group": group, "value": value, "measure": MEASURE, "items": items, "sum": str(total)}
        for (group, value), (items, total) in sorted(counted.items())
    ]


def kinds_of(from_list, size):
    yield "", ""
    if from_list:
        yield "data", "SWOW"
        return
    yield "data", "game, all"
    yield from (("data", name) for name, sizes in GROUPS.items() if size in sizes)


def free_name(name, taken):
    """Return the name, cut to what fits, with a number where another has it in whatever case."""
    found, number = name[:LONGEST], 1
    while found.lower() in taken:
        number += 1
        end = f" ({number})"
        found = name[: LONGEST - len(end)] + end
    taken.add(found.lower())
    return found


class Migration(migrations.Migration):

    dependencies = [
        ("benchmarks", "0001_benchmarks_of_releases"),
        ("winogavil_releases", "0004_release_belongs_to_its_own_room"),
    ]

    operations = [migrations.RunPython(keep_predictions, migrations.RunPython.noop)]
