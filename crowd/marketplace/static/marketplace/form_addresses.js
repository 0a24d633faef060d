// Leads forms of a requester's page that mean the old service's submit address to this attempt's own, whichever
// host they name, or none, and whether the page's HTML or its scripts wrote it.
"use strict";
{
  const PATH = "/mturk/externalSubmit";
  const attempt = document.currentScript.dataset.submit;
  const send = HTMLFormElement.prototype.submit;

  // The address of this attempt, with what the page has put behind the old one.
  const led = (written) => {
    const { pathname, search } = new URL(written, document.baseURI);
    return pathname.endsWith(PATH) ? attempt + search : written;
  };

  // Fields named "action" or "method" hide a form's own, so its attributes are read.
  const lead = (form, button) => {
    if (button?.hasAttribute("formaction")) {
      button.setAttribute("formaction", led(button.getAttribute("formaction")));
    }
    const written = form.getAttribute("action");
    const isPost = form.getAttribute("method")?.toLowerCase() === "post";
    if (written) form.setAttribute("action", led(written));
    else if (isPost) form.setAttribute("action", attempt);
  };

  addEventListener("submit", ({ target, submitter }) => lead(target, submitter), true);
  HTMLFormElement.prototype.submit = function submit() {
    lead(this);
    send.call(this);
  };
}
