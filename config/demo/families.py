"""The demos there are, by family."""

from collections.abc import Mapping

from config.demo.interface import Demo
from config.demo.whoops.weird import WhoopsDemo
from config.demo.winogavil.game import WinogavilDemo
from config.demo.winoground.matching import WinogroundDemo
from config.demo.winoventi.procedure import WinoventiDemo

DEMOS: Mapping[str, type[Demo]] = {
    demo.family: demo for demo in (WinogavilDemo, WinoventiDemo, WinogroundDemo, WhoopsDemo)
}
FIRST = WinogavilDemo.family
