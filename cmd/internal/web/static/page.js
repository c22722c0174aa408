"use strict";
// Upload by tus, with the form as the way without this script; progress by server-sent events; keys.
(() => {
  const drop = document.getElementById("drop");
  const chunk = 8 << 20;

  // Where an upload of a file goes on, if it was begun before: by name, size and time of the file.
  const known = (file) => "tus:" + [file.name, file.size, file.lastModified].join(":");
  const remember = (file, place) => { try { place ? localStorage.setItem(known(file), place) : localStorage.removeItem(known(file)); } catch { /* not allowed here */ } };
  const recall = (file) => { try { return localStorage.getItem(known(file)); } catch { return null; } };
  const word = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  const headers = { "Tus-Resumable": "1.0.0" };

  async function begin(file, set, of) {
    const there = of === 1 && recall(file);
    if (there) {
      const had = await fetch(there, { method: "HEAD", headers });
      if (had.ok) return [there, Number(had.headers.get("Upload-Offset"))];
    }
    const metadata = "filename " + word(file.name) + (of > 1 ? ",set " + word(set) + ",of " + word(String(of)) : "");
    const begun = await fetch(drop.dataset.tus, { method: "POST", headers: { ...headers, "Upload-Length": file.size, "Upload-Metadata": metadata } });
    if (!begun.ok) throw new Error(await said(begun));
    const place = begun.headers.get("Location");
    if (of === 1) remember(file, place);
    return [place, 0];
  }

  // Sends a file, and gives the import that the server made of it and of what was given with it.
  async function send(file, set, of, tell) {
    let [place, offset] = await begin(file, set, of);
    for (let failures = 0; ;) {
      let refused = "";
      try {
        const part = await fetch(place, {
          method: "PATCH", body: file.slice(offset, offset + chunk),
          headers: { ...headers, "Upload-Offset": offset, "Content-Type": "application/offset+octet-stream" },
        });
        if (!part.ok && part.status !== 409 && part.status < 500) refused = await said(part);
        if (!part.ok) throw new Error(refused || await said(part));
        failures = 0;
        offset = Number(part.headers.get("Upload-Offset"));
        tell(offset);
        if (offset >= file.size) { remember(file, null); return part.headers.get("Pamline-Drop"); }
      } catch (problem) {
        if (refused) { remember(file, null); throw problem; }
        if (++failures > 8) throw problem;
        document.getElementById("sending").textContent = "The connection broke off; going on…";
        await new Promise((go) => setTimeout(go, 500 * failures));
        const there = await fetch(place, { method: "HEAD", headers }).catch(() => null);
        if (there && !there.ok) { remember(file, null); throw problem; }
        if (there) offset = Number(there.headers.get("Upload-Offset"));
      }
    }
  }

  // Sends the files that were given together, which become one import.
  async function sendAll(files) {
    const bar = document.getElementById("sent"), text = document.getElementById("sending");
    const total = files.reduce((sum, file) => sum + file.size, 0), set = String(Math.random()).slice(2);
    let before = 0, made = null;
    bar.hidden = false;
    for (const file of files) {
      text.textContent = "Sending " + file.name;
      made = await send(file, set, files.length, (n) => { bar.value = total ? 100 * (before + n) / total : 100; }) || made;
      before += file.size;
    }
    if (made) location.href = "/page/imports/" + made;
  }

  async function said(response) {
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const words = page.querySelector("h1");
    return words ? words.textContent : "The file was refused.";
  }

  if (drop) {
    const input = document.getElementById("file"), text = document.getElementById("sending");
    const start = (files) => { if (files.length) sendAll([...files]).catch((problem) => { text.textContent = problem.message; }); };
    drop.addEventListener("submit", (e) => { if (input.files.length) { e.preventDefault(); start(input.files); } });
    // A file that misses the area is not opened in place of the page.
    for (const type of ["dragenter", "dragover"]) document.addEventListener(type, (e) => { e.preventDefault(); drop.classList.add("over"); });
    document.addEventListener("dragleave", (e) => { if (!e.relatedTarget) drop.classList.remove("over"); });
    document.addEventListener("drop", (e) => {
      e.preventDefault();
      drop.classList.remove("over");
      start(e.dataTransfer.files);
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

  const rendered = document.querySelector("[data-copy]");
  if (rendered && navigator.clipboard) {
    const copy = document.createElement("button");
    copy.textContent = "Copy";
    copy.addEventListener("click", () => navigator.clipboard.writeText(rendered.value).then(() => { copy.textContent = "Copied"; }));
    rendered.nextElementSibling.prepend(copy);
  }

  document.addEventListener("keydown", (e) => {
    const typing = e.target.closest("input, textarea, select");
    if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey) {
      const find = document.getElementById("q");
      if (find) { e.preventDefault(); find.focus(); }
    }
  });
})();
