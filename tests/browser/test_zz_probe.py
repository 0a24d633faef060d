import time
import pytest
from tests.browser.stage import sign_in
from playwright.sync_api import expect
pytestmark=[pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
def test_a(seeded, page, sites):
    t=time.time()
    page.goto(seeded.invitations[0]); print("goto",time.time()-t)
    page.goto(sites.public+"/admin/"); print(page.title())
def test_b(desk, page, sites):
    page.on("console", lambda m: print("CONSOLE", m.type, m.text))
    page.on("response", lambda m: print("R", m.status, m.request.method, m.url[:120], [h for h in m.headers_array() if h['name'].lower() in ('set-cookie',)]))
    sign_in(page.context, desk.worker, sites=sites)
    t=time.time()
    page.goto(desk.url)
    frame=page.frame_locator("iframe")
    for key in desk.right:
        frame.locator(f'input[value="{key}"]').check()
    frame.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Handed in", timeout=5000)
    print(page.content()[:3000])
    page.go_back()
    print(page.url, page.inner_text("h1"))
