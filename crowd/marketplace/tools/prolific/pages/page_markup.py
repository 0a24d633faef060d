"""The frame of the stand-in's pages: plain, without scripts, and plain about what they are."""

from html import escape

from crowd.marketplace.tools.prolific.state.entities import Study, Submission

STYLE = (
    "body{font-family:system-ui,sans-serif;line-height:1.5;max-width:48rem;margin:0 auto;padding:1rem;"
    "color:#1a1a1a;background:#fff;overflow-wrap:anywhere}"
    ".notice{border:2px solid #7a4a00;background:#fff4e0;padding:.5rem 1rem}"
    "article{border:1px solid #6b6b6b;padding:0 1rem 1rem;margin:1rem 0}"
    "button{font:inherit;min-height:2.75rem;padding:.4rem .8rem}"
    "form{display:inline-block;margin:0 .5rem .5rem 0}"
    "a{color:#0b4f9c}:focus-visible{outline:3px solid #0b4f9c;outline-offset:2px}"
)
NOTICE = (
    "This is a stand-in for Prolific, for tests and demonstrations. It is not Prolific: "
    "nobody here is a real participant, and no real money is paid."
)


def page(title: str, *parts: str) -> str:
    """A whole page; the parts are markup, the title is text."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} – stand-in for Prolific</title>\n"
        '<link rel="stylesheet" href="/stand-in.css">\n</head>\n<body>\n'
        f'<header><p class="notice"><strong>{NOTICE}</strong></p></header>\n'
        f"<main>\n<h1>{escape(title)}</h1>\n{''.join(parts)}</main>\n</body>\n</html>\n"
    )


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>\n"


def link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def button(action: str, text: str, *, about: str, **hidden: str) -> str:
    """A form of one button; `about` tells buttons of the same text apart for those who only hear them."""
    inputs = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in hidden.items()
    )
    return (
        f'<form method="post" action="{escape(action)}">{inputs}'
        f'<button aria-label="{escape(text)}: {escape(about)}">{escape(text)}</button></form>\n'
    )


def money(cents: int, currency: str) -> str:
    sign = {"GBP": "£", "USD": "$"}[currency]
    return f"{sign}{cents // 100}.{cents % 100:02}"


def study_article(study: Study, *, buttons: str) -> str:
    reward = money(study.reward, study.workspace.currency_code)
    minutes = study.fields["estimated_completion_time"]
    return (
        f"<article>\n<h3>{escape(study.fields['name'])}</h3>\n"
        f"{paragraph(study.fields['description'])}"
        f"{paragraph(f'{reward} for about {minutes} minutes.')}{buttons}</article>\n"
    )


def submission_article(submission: Submission, *, buttons: str) -> str:
    said = [f"Status: {submission.status}."]
    if submission.credentials:
        said.append("Sign in to the study as {} with the password {}.".format(*submission.credentials))
    if submission.bonuses:
        bonus = money(sum(submission.bonuses), submission.study.workspace.currency_code)
        said.append(f"Bonuses: {bonus}.")
    said.extend(f"The researcher asks you to return it: {one}" for one in submission.return_reasons)
    if submission.rejection:
        said.append(f"Rejected: {submission.rejection['message']}")
    told = "".join(paragraph(one) for one in said)
    return f"<article>\n<h3>{escape(submission.study.fields['name'])}</h3>\n{told}{buttons}</article>\n"
