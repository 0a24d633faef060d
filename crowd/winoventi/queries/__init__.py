"""Queries about who may be asked about a pair, and how far a project is."""

from crowd.winoventi.queries.counts import count_pairs, judged_times
from crowd.winoventi.queries.pair_people import answers_of, judges_of, one_of_each_pair, strangers_to

__all__ = ["answers_of", "count_pairs", "judged_times", "judges_of", "one_of_each_pair", "strangers_to"]
