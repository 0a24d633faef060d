"""Licences by their usual names: which let pictures be passed on, and what data sites call them."""

import re
from collections.abc import Mapping

from crowd.releases.models import Release

# The names of licences on sites that show data sets, by the words that people write.
HUB: Mapping[str, str] = {
    "cc0": "cc0-1.0",
    "cc0 1.0": "cc0-1.0",
    "public domain": "cc0-1.0",
    "cc by 2.0": "cc-by-2.0",
    "cc by 3.0": "cc-by-3.0",
    "cc by 4.0": "cc-by-4.0",
    "cc by-sa 3.0": "cc-by-sa-3.0",
    "cc by-sa 4.0": "cc-by-sa-4.0",
    "cc by-nc 2.0": "cc-by-nc-2.0",
    "cc by-nc 4.0": "cc-by-nc-4.0",
    "cc by-nc-sa 4.0": "cc-by-nc-sa-4.0",
    "cc by-nd 4.0": "cc-by-nd-4.0",
    "cc by-nc-nd 4.0": "cc-by-nc-nd-4.0",
    "mit": "mit",
    "apache 2.0": "apache-2.0",
    "odbl": "odbl",
}
# Licences that let anybody pass a picture on as it is. All others are a researcher's decision.
PASSED_ON = re.compile(r"cc0\b|cc[ -]by\b|public domain\b|pdm\b|mit\b|apache\b|ofl\b", re.IGNORECASE)


def lets_pass_on(licence: str) -> bool:
    return PASSED_ON.match(licence.strip()) is not None


def hub_license(licence: str) -> Mapping[str, str]:
    """Return the fields of a card's header about the licence: an id that sites know, or the name in words."""
    known = HUB.get(" ".join(licence.casefold().replace("cc-by", "cc by").split()))
    return {"license": known} if known else {"license": "other", "license_name": licence}


def release_license(release: Release) -> str:
    """Return the licence as an address where it has one, else as it was written."""
    known = hub_license(release.licence)["license"]
    parts = re.fullmatch(r"cc-(by[a-z-]*?)-(\d\.\d)", known)
    if parts:
        return f"https://creativecommons.org/licenses/{parts[1]}/{parts[2]}/"
    return "https://creativecommons.org/publicdomain/zero/1.0/" if known == "cc0-1.0" else release.licence
