// What requesters' pages call from Amazon's externalHIT_v1.js, by the same names. See docs/questions.md.
"use strict";

const TURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE";
const TURK_ACCEPT_FIRST = "You must ACCEPT the HIT before you can submit the results.";

function turkGetParam(name, defaultValue = "") {
  const value = new URLSearchParams(location.search).get(name);
  return value === null ? defaultValue : value;
}

function turkGetAssignmentId() {
  return turkGetParam("assignmentId");
}

function turkIsPreview() {
  return turkGetAssignmentId() === TURK_PREVIEW;
}

function turkGetSubmitToHost() {
  return turkGetParam("turkSubmitTo", "https://www.mturk.com").replace(/\/$/u, "");
}

// Fills the hidden field, tells the form where to go, and in a preview puts the button out of use.
function turkSetAssignmentID(formName = "mturk_form", buttonName = "submitButton") {
  const field = document.getElementById("assignmentId");
  if (field) field.value = turkGetAssignmentId();
  const button = document.getElementById(buttonName);
  if (button && turkIsPreview()) {
    button.disabled = true;
    if (button.matches("input")) button.value = TURK_ACCEPT_FIRST;
    else button.textContent = TURK_ACCEPT_FIRST;
  }
  // A field named "action" hides the form's own.
  document.forms[formName]?.setAttribute("action", `${turkGetSubmitToHost()}/mturk/externalSubmit`);
}
