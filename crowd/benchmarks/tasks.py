from django.utils import timezone

from crowd.benchmarks.services import (
    benchmark_results,
    earlier_answers,
    learned_match,
    result_relations,
    shared_subsets,
    training_runs,
)
from hits.common.sweeps import sweep


@sweep("benchmarks.answer_benchmarks", rest_s=2)
def answer_benchmarks() -> None:
    earlier_answers.bring_earlier_answers()
    benchmark_results.answer_benchmarks(now=timezone.now())
    learned_match.match_answers(now=timezone.now())
    result_relations.relate_results()
    shared_subsets.sum_shared_subsets()


@sweep("benchmarks.train_models", rest_s=1, due_at=training_runs.next_training, queue="rival")
def train_models() -> None:
    training_runs.train_models()
