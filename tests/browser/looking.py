"""A picky visitor's look at a page: light and dark, with the Tab key, and into the console."""

import os
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import ConsoleMessage, Frame, Page, Request, Response, ViewportSize

CHECKS = Path(__file__).with_name("checks.js").read_text()
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
# Axe runs in each frame by itself; its minor and moderate findings are advice.
SERIOUS = """async (rules) => {
  const asked = { iframes: false, resultTypes: ["violations"], ...rules };
  const { violations } = await axe.run(document, asked);
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map((node) => `axe: ${id}: ${node.html.slice(0, 140)}`));
}"""
TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} refuses ${event.blockedURI}`);
});
"""
# A control may be drawn by the next element, as the boxes of pictures are. Past the last control is nothing.
FOCUS = """() => {
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (focused.matches("body, iframe")) return [];
  const drawn = getComputedStyle(focused).opacity === "0" ? focused.nextElementSibling : focused;
  const style = getComputedStyle(drawn);
  const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return seen ? [] : [`focus is not seen: ${focused.outerHTML.slice(0, 140)}`];
}"""
TABS = 4
SIZES: dict[str, ViewportSize] = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# Our own checks test the contrast of every text, more strictly and in a tenth of the time.
RULES: dict[str, Any] = {
    "light": {"rules": {"color-contrast": {"enabled": False}}},
    "dark": {"runOnly": ["link-in-text-block"]},  # the same page but for its colors
}


class Visitor:
    """A collector of what is wrong, page by page; a page where nothing is wrong is not mentioned."""

    def __init__(self, page: Page, *, size: str) -> None:
        self.page = page
        self.problems: dict[str, list[str]] = {}
        self._size = size
        self._heard: list[str] = []
        page.add_init_script(TELL_VIOLATIONS)
        page.on("console", self._hear_message)
        page.on("pageerror", lambda error: self._heard.append(f"script: {error}"))
        page.on("requestfailed", self._hear_failure)
        page.on("response", self._hear_response)

    def visit(self, name: str, url: str, *, status: int = 200) -> None:
        self._heard.clear()
        response = self.page.goto(url)
        found = [] if response and response.status == status else ["answered with another status"]
        found += self.look(name)
        # A page that is meant to be refused may say so in the console.
        found += [heard for heard in self._heard if status == 200 or url not in heard]
        if found:
            self.problems[name] = found

    def look(self, name: str) -> list[str]:
        """Return what is wrong with the page as it stands."""
        found: list[str] = []
        for scheme in SCHEMES:
            self.page.emulate_media(color_scheme=scheme)
            found += [f"{scheme}: {problem}" for problem in self._look(scheme)]
            self._keep_picture(f"{name}-{self._size}-{scheme}")
        for _ in range(TABS):
            self.page.keyboard.press("Tab")
            found += self.page.evaluate(FOCUS)
        return found

    def _look(self, scheme: str = "light") -> list[str]:
        found: list[str] = []
        for frame in self.page.frames:
            found += frame.evaluate(CHECKS)
            found += self._run_axe(frame, RULES[scheme])
        return found

    def _run_axe(self, frame: Frame, rules: Any) -> list[str]:
        if not frame.evaluate("() => Boolean(window.axe)"):
            frame.evaluate(AXE)
        heard = len(self._heard)
        found: list[str] = frame.evaluate(SERIOUS, rules)
        del self._heard[heard:]  # axe tries styles that the policy refuses, and says so
        return found

    def _keep_picture(self, name: str) -> None:
        if folder := os.environ.get("SCREENSHOTS"):
            self.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True, animations="disabled")

    def _hear_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._heard.append(f"console: {message.text} ({message.location['url']})")

    def _hear_failure(self, request: Request) -> None:
        if request.failure == "net::ERR_ABORTED":
            return  # the browser gave it up itself, because the page was left
        self._heard.append(f"failed: {request.url}: {request.failure}")

    def _hear_response(self, response: Response) -> None:
        if response.status >= 400:
            self._heard.append(f"answered: {response.status} {response.url}")
