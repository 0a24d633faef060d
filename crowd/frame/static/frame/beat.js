// Tells the server that somebody is at work here. It counts the time itself; this page only says "still here".
"use strict";

(() => {
  const EVERY_MS = 15_000;
  const IDLE_MS = 60_000;
  const { beat } = document.currentScript.dataset;
  const token = document.querySelector("input[name=token]")?.value;
  if (!token) return;

  let activeAt = Date.now();
  let timer = 0;

  const stop = () => {
    clearInterval(timer);
    timer = 0;
  };

  const send = async () => {
    const body = new URLSearchParams({ token });
    try {
      const answer = await fetch(beat, { method: "POST", body, credentials: "omit", keepalive: true });
      // Too many is a matter of minutes; any other refusal stays one.
      if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) finish();
    } catch {
      // The network is away: the next one may come through.
    }
  };

  const start = () => {
    if (timer || document.hidden) return;
    send();
    timer = setInterval(() => (Date.now() - activeAt < IDLE_MS ? send() : stop()), EVERY_MS);
  };

  const touch = () => {
    activeAt = Date.now();
    start();
  };

  // What was done until the page is hidden counts; what happens while it is hidden does not.
  const turn = () => {
    if (!document.hidden) return touch();
    if (timer && Date.now() - activeAt < IDLE_MS) send();
    stop();
  };

  const signs = ["pointerdown", "pointermove", "keydown", "scroll", "wheel", "touchstart", "input"];
  const finish = () => {
    stop();
    for (const sign of signs) removeEventListener(sign, touch, true);
    document.removeEventListener("visibilitychange", turn);
  };

  for (const sign of signs) addEventListener(sign, touch, { capture: true, passive: true });
  document.addEventListener("visibilitychange", turn);
  start();
})();
