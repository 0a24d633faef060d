"""Uploaded answers of models on published data, as players see them."""

from fractions import Fraction

from django.db.models import F, IntegerField, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from crowd.benchmarks.models import Result
from crowd.releases.models import Release
from crowd.winogavil.releases.domain import per_cent
from crowd.winogavil.releases.game_benchmark import WHOLE_GAME, PickPictures
from crowd.winogavil.releases.origins import holds_game
