"""The demos there are, by family."""

from collections.abc import Mapping

from crowd.demo.interface import Demo
from crowd.whoops.demo.weird import WhoopsDemo
from crowd.winogavil.demo.game import WinogavilDemo
from crowd.winoground.demo.matching import WinogroundDemo
from crowd.winoventi.demo.procedure import WinoventiDemo

DEMOS: Mapping[str, type[Demo]] = {
    demo.family: demo for demo in (WinogavilDemo, WinoventiDemo, WinogroundDemo, WhoopsDemo)
}
FIRST = WinogavilDemo.family
