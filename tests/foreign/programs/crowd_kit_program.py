"""Reads crowds of labels from standard input and says what crowd-kit makes of them. Both are JSON."""

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

# Installed in an environment of their own, which this project's type checks do not see.
aggregation: Any = import_module("crowdkit.aggregation")
metrics: Any = import_module("crowdkit.metrics.data")
pandas: Any = import_module("pandas")

# No tolerance ends the rounds early.
ALL_ROUNDS = {"n_iter": 100, "tol": -9}


def figures(labels: Sequence[Sequence[str]]) -> dict[str, Any]:
    rows = pandas.DataFrame(labels, columns=["task", "worker", "label"])
    return {
        "alpha": float(metrics.alpha_krippendorff(rows)),
        "skene": posteriors(aggregation.DawidSkene, rows),
        "coin": posteriors(aggregation.OneCoinDawidSkene, rows),
    }


def posteriors(model: Any, rows: Any) -> Any:
    return model(**ALL_ROUNDS).fit_predict_proba(rows).to_dict(orient="index")


json.dump([figures(labels) for labels in json.load(sys.stdin)], sys.stdout)
