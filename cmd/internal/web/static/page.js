"use strict";
// Upload by tus, with the form as the way without this script; progress by server-sent events; keys.
(() => {
  const drop = document.getElementById("drop");
  const chunk = 8 << 20;

  async function send(file) {
    const bar = document.getElementById("sent"), text = document.getElementById("sending");
    const name = btoa(String.fromCharCode(...new TextEncoder().encode(file.name)));
    const headers = { "Tus-Resumable": "1.0.0" };
    bar.hidden = false;
    text.textContent = "Sending " + file.name;
    const begun = await fetch(drop.dataset.tus, { method: "POST", headers: { ...headers, "Upload-Length": file.size, "Upload-Metadata": "filename " + name } });
    if (!begun.ok) throw new Error(await said(begun));
    const place = begun.headers.get("Location");
    for (let offset = 0, failures = 0; ;) {
      try {
        const part = await fetch(place, {
          method: "PATCH", body: file.slice(offset, offset + chunk),
          headers: { ...headers, "Upload-Offset": offset, "Content-Type": "application/offset+octet-stream" },
        });
        if (!part.ok) throw new Error(await said(part));
        failures = 0;
        offset = Number(part.headers.get("Upload-Offset"));
        bar.value = file.size ? 100 * offset / file.size : 100;
        const made = part.headers.get("Pamline-Drop");
        if (made) { location.href = "/page/imports/" + made; return; }
      } catch (problem) {
        if (++failures > 5) throw problem;
        text.textContent = "The connection broke off; going on…";
        await new Promise((go) => setTimeout(go, 500 * failures));
        const there = await fetch(place, { method: "HEAD", headers });
        if (!there.ok) throw problem;
        offset = Number(there.headers.get("Upload-Offset"));
      }
    }
  }

  async function said(response) {
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const words = page.querySelector("h1");
    return words ? words.textContent : "The file was refused.";
  }

  if (drop) {
    const input = document.getElementById("file"), text = document.getElementById("sending");
    const start = (file) => send(file).catch((problem) => { text.textContent = problem.message; });
    drop.addEventListener("submit", (e) => { if (input.files.length) { e.preventDefault(); start(input.files[0]); } });
    for (const type of ["dragenter", "dragover"]) drop.addEventListener(type, (e) => { e.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (e) => {
      e.preventDefault();
      drop.classList.remove("over");
      if (e.dataTransfer.files.length) start(e.dataTransfer.files[0]);
    });
  }

  const live = document.getElementById("live");
  if (live) {
    const events = new EventSource(live.dataset.events);
    events.onmessage = (e) => {
      const now = JSON.parse(e.data);
      live.querySelector("progress").value = now.percent;
      live.querySelector("p").textContent = now.text;
      if (now.ended) { events.close(); location.reload(); }
    };
  }

  document.addEventListener("keydown", (e) => {
    const typing = e.target.closest("input, textarea, select");
    if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey) {
      const find = document.getElementById("q");
      if (find) { e.preventDefault(); find.focus(); }
    }
  });
})();
