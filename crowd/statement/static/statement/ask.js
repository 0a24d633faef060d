// Tells the platform's page around this one where the requester is asked. The policy of this page names the one site
// that may frame it, so nobody else can hear.
"use strict";

if (parent !== self) parent.postMessage({ ask: document.querySelector("a[data-ask]").href }, "*");
