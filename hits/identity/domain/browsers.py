"""What a browser says of itself, in plain words: which program, and on what."""

# Browsers name their forerunners too, so that the first that fits here is the one.
PROGRAMS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
MACHINES = (
    ("iPhone", "an iPhone"),
    ("iPad", "an iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "a Mac"),
    ("CrOS", "a Chromebook"),
    ("Linux", "Linux"),
)
UNKNOWN = "A program that does not say what it is"


def device_in_words(user_agent: str) -> str:
    program = next((words for mark, words in PROGRAMS if mark in user_agent), "")
    machine = next((words for mark, words in MACHINES if mark in user_agent), "")
    if not program and not machine:
        return UNKNOWN
    return f"{program or 'A browser'} on {machine or 'an unknown device'}"
