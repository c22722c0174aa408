"""Exchanges bundles and signatures with the published Python package portable-ai-memory.

Usage: portable_ai_memory_check.py PAMLINE BUNDLE

It needs the packages portable-ai-memory[cli], cryptography and PyJWT, and runs at the root of the
checkout; scratch files lie beside BUNDLE. Every fixture is imported by
pamline and, where it can, converted by the package; fixtures that are no export by themselves are
counted. Each failed step is printed; the exit code is 1 if there is one.
"""
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import signatures
from portable_ai_memory import compute_integrity_checksum, load
from portable_ai_memory.cli.main import app
from typer.testing import CliRunner

PAMLINE = sys.argv[1]
FIXTURES = [pathlib.Path("examples/sample-export"), *sorted(pathlib.Path("providers").glob("*/testdata/*")), *sorted(pathlib.Path("../shared/fixtures").glob("*/*"))]
work = pathlib.Path(tempfile.mkdtemp(prefix="interop-", dir=pathlib.Path(sys.argv[2]).parent))
steps = {}
failures = 0


def report(step, ok, subject="", detail=""):
    """Counts a step, and prints it if it failed."""
    global failures
    done, good = steps.get(step, (0, 0))
    steps[step] = (done + 1, good + bool(ok))
    if not ok:
        failures += 1
        print("FAIL  %s: %s: %s" % (step, subject, str(detail).strip()[-1500:]))


def pamline(*args):
    done = subprocess.run([PAMLINE, *map(str, args)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def package(*args):
    done = CliRunner().invoke(app, [str(a) for a in args])
    return done.exit_code, done.output + (repr(done.exception) if done.exception else "")


def accepted(step, bundle, subject):
    """Has the package validate a bundle: its command, and the embeddings that the command leaves out."""
    code, said = package("validate", bundle)
    report(step, code == 0, subject, said)
    embeddings = bundle / "embeddings.json"
    if embeddings.exists():
        from portable_ai_memory import load_embeddings, load_memory_store, validate_embeddings
        result = validate_embeddings(load_embeddings(embeddings), memory_store=load_memory_store(bundle / "memory-store.json"))
        report(step, result.is_valid, subject + " (embeddings)", [str(i) for i in result.issues])


def restored(value):
    """Puts values back that were moved to unknown_members, where docs/exchange.md says they are kept."""
    for home in ("raw_metadata", "metadata"):
        meta = value.get(home)
        if not isinstance(meta, dict):
            continue
        for pointer, moved in meta.pop("unknown_members", {}).items():
            *way, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
            at = value
            for step in way:
                at = at.setdefault(step, {})
            at[last] = moved
        if not meta:
            value[home] = None
    return value


def comparable(conversation):
    """A conversation without what PAM derives: children follow from parents."""
    value = restored(conversation)
    value["messages"] = [restored(m) for m in value["messages"]]
    named = {(m.get("parent_id"), m["id"]) for m in value["messages"]}
    for m in value["messages"]:
        m["children_ids"] = sorted(c for c in m.get("children_ids") or [] if (m["id"], c) not in named)
        m.setdefault("raw_metadata", None)
        m["raw_metadata"] = m["raw_metadata"] or None
    value["raw_metadata"] = value.get("raw_metadata") or None
    return value


def values(bundle):
    """All that a bundle says, by the package's own models, without what belongs to the moment of export."""
    store = load(bundle / "memory-store.json")
    files = {}
    for path in sorted((bundle / "conversations").glob("*.json")):
        conversation = load(path)
        files[conversation.id] = comparable(conversation.model_dump(exclude_none=True, mode="json"))
    index = {}
    for entry in store.conversations_index or []:
        value = entry.model_dump(exclude_none=True, mode="json", exclude={"storage"})
        value["derived_memories"] = sorted(value.get("derived_memories") or [])
        index[entry.id] = value
    by_id = lambda elements: {e.id: restored(e.model_dump(exclude_none=True, mode="json")) for e in elements or []}
    return {"memories": by_id(store.memories), "relations": by_id(store.relations), "index": index, "conversations": files}


def differences(want, got, at=""):
    """The places where two values differ."""
    if isinstance(want, dict) and isinstance(got, dict):
        return [d for k in sorted(want.keys() | got.keys()) for d in differences(want.get(k), got.get(k), "%s/%s" % (at, k))]
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [d for i, (w, g) in enumerate(zip(want, got)) for d in differences(w, g, "%s/%d" % (at, i))]
    return [] if want == got or is_same_instant(want, got) else ["%s: %r became %r" % (at, want, got)]


def is_same_instant(a, b):
    """Whether two texts are the same time in two zones."""
    try:
        return datetime.datetime.fromisoformat(a) == datetime.datetime.fromisoformat(b)
    except (TypeError, ValueError):
        return False


def check_fixture(fixture, folder):
    """Writes a fixture's bundle in each form, and takes the package's own bundle of it in and out again."""
    folder.mkdir()
    data, bundle = folder / "data", folder / "bundle"
    code, _ = pamline("import", "--data", data, "--owner", "me", "--out", bundle, fixture)
    ours = code in (0, 3) and bundle.exists()
    if ours:
        accepted("the package accepts our bundle", bundle, fixture)
        pamline("export", "--strip-identifiers", "-o", folder / "stripped", bundle)
        accepted("the package accepts our bundle without identifiers", folder / "stripped", fixture)
    code, _ = package("convert", fixture, "-o", folder / "theirs")
    if code != 0 or not (folder / "theirs" / "memory-store.json").exists():
        return ours, False
    theirs = folder / "theirs"
    store = load(theirs / "memory-store.json")
    if package("validate", theirs)[0] != 0 or not (store.memories or store.conversations_index):
        return ours, False  # not a bundle for its own validator, or an empty one
    code, said = pamline("import", "--data", folder / "data.2", "--owner", "me", "--out", folder / "again", theirs)
    report("we import what the package converts", code in (0, 3), fixture, said)
    if not (folder / "again").exists():
        return ours, True
    found = differences(values(theirs), values(folder / "again"))
    report("its bundle is equal by value after import and export", not found, fixture, found[:5])
    accepted("the package accepts its own bundle from us", folder / "again", fixture)
    return ours, True


def check_deltas(fixture):
    """Has the package read a delta and what merging it gives."""
    data = work / "deltas"
    pamline("import", "--data", data, "--owner", "me", fixture)
    pamline("export", "--data", data, "-o", work / "first")
    pamline("edit", "--data", data, "--add", "Plays the cello.", "--type", "skill")
    pamline("export", "--data", data, "-o", work / "second")
    report("a delta is written", pamline("export", "--since", work / "first", "-o", work / "delta", work / "second")[0] == 0)
    report("a delta is merged", pamline("merge", "-o", work / "merged", work / "first", work / "delta")[0] == 0)
    accepted("the package accepts a delta", work / "delta", "delta")
    accepted("the package accepts a merged bundle", work / "merged", "merged")
    found = differences(values(work / "second"), values(work / "merged"))
    report("a merged bundle is equal to the newer one", not found, "", found[:5])


def check_signatures(fixture):
    """Verifies our signatures with two other libraries, and has pamline verify theirs."""
    store = work / "store.json"
    pamline("import", "--data", work / "sign", "--owner", "me", "--out", work / "sign.out", fixture)
    store.write_bytes((work / "sign.out" / "memory-store.json").read_bytes())
    for algorithm in signatures.ALGORITHMS:
        for form in ([], ["--jwk"]):
            key, signed = work / ("our-%s%s" % (algorithm, "-jwk" if form else "")), work / ("our-%s%d.json" % (algorithm, len(form)))
            pamline("keygen", "--algorithm", algorithm, *form, "-o", key)
            code, said = pamline("sign", "--key", key, "-o", signed, store)
            report("we sign", code == 0, algorithm, said)
            document = json.loads(signed.read_text())
            report("the package computes the signed checksum", compute_integrity_checksum(document["memories"]) == document["integrity"]["checksum"], algorithm)
            for library in signatures.LIBRARIES:
                report("%s verifies our signature" % library, signatures.verify(library, document), algorithm)
                document["owner"]["id"] += "x"
                report("%s finds a changed owner" % library, not signatures.verify(library, document), algorithm)
                document["owner"]["id"] = document["owner"]["id"][:-1]
            report("the package accepts a signed store", package("validate", signed)[0] == 0, algorithm)
        for library in signatures.LIBRARIES:
            for form in ("pem", "jwk", "multibase"):
                document = json.loads(store.read_text())
                public = signatures.sign(library, algorithm, form, document)
                theirs, key = work / ("their-%s-%s-%s.json" % (library, algorithm, form)), work / "their.pub"
                theirs.write_text(json.dumps(document))
                key.write_bytes(public)
                code, said = pamline("verify", "--key", key, theirs)
                report("we verify the signature of %s" % library, code == 0, "%s, key as %s" % (algorithm, form), said)
                changed = theirs.read_text().replace(document["export_id"], document["export_id"][::-1], 1)
                theirs.write_text(changed)
                report("we find a changed export_id", pamline("verify", "--key", key, theirs)[0] == 1, algorithm)


both = one = 0
for number, fixture in enumerate(FIXTURES):
    if re.search(r"\.golden$|fuzz$", fixture.name):
        continue
    ours, theirs = check_fixture(fixture, work / str(number))
    one, both = one + ours, both + theirs
report("enough fixtures are exports", one >= 40 and both >= 8, "", "%d bundles of ours, %d of the package" % (one, both))
check_deltas(FIXTURES[0])
check_signatures(FIXTURES[0])
print("%d bundles of ours, %d of the package" % (one, both))
for step, (done, good) in steps.items():
    print("%s  %s: %d of %d" % ("ok  " if done == good else "FAIL", step, good, done))
sys.exit(1 if failures else 0)
