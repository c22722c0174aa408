"""Exchanges bundles with the published Python package portable-memory.

Usage: portable_memory_check.py PAMLINE BUNDLE

It needs the packages portable-memory and cryptography, and a PAM bundle to convert. Each step is
printed; the exit code is 1 if one of them failed.
"""
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from portable_memory import exporter, format, importer, inmemory, signing, tombstone, validator

# The kinds that the package's own store leaves out, with the names of its readers and writers.
KINDS = [("facts", "fact"), ("fact_links", "fact_link"), ("episode_links", "episode_link"), ("resources", "resource"), ("chunks", "chunk"),
         ("core_blocks", "core_block"), ("procedures", "procedure"), ("contexts", "context"), ("communities", "community"),
         ("categories", "category"), ("preferences", "preference"), ("secret_refs", "secret_ref")]


class Store(inmemory.InMemoryStore):
    """A store of all kinds."""


def add_kind(many, one):
    def read(self):
        return list(self.__dict__.setdefault("all_" + one, []))

    def write(self, row):
        self.__dict__.setdefault("all_" + one, []).append(row)

    setattr(Store, "export_" + many, read)
    setattr(Store, "import_" + one, write)


for many, one in KINDS:
    add_kind(many, one)

failed = False


def report(name, ok, detail=""):
    global failed
    failed = failed or not ok
    print(("ok    " if ok else "FAIL  ") + name + (": " + str(detail) if detail and not ok else ""))


def run(*args):
    done = subprocess.run([PAMLINE, *map(str, args)], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def load(path):
    return json.loads(pathlib.Path(path).read_text())


PAMLINE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
work = pathlib.Path(tempfile.mkdtemp(prefix="interop-", dir=SOURCE.parent))

report("pamline writes .mem", *run("convert", "--to", "mem", "-o", work / "ours.mem", SOURCE))
issues = validator.BundleValidator().validate(work / "ours.mem").issues
report("the package accepts it", not issues, issues)

store = Store()
importer.BundleImporter().import_bundle(store, work / "ours.mem", reembed=False)
for level in format.ConformanceLevel:
    theirs = work / ("theirs-%s.mem" % level.value)
    exporter.BundleExporter().export(store, theirs, level=level)
    report("pamline accepts what the package writes at " + level.value, *run("validate", theirs))
same = all((work / "ours.mem" / f["path"]).read_bytes() == (work / "theirs-L2.mem" / f["path"]).read_bytes() for f in load(work / "ours.mem/manifest.json")["files"])
report("its streams are the same bytes", same)

back_at = {level: work / ("back-" + level.value) for level in format.ConformanceLevel}
for level, back in back_at.items():
    report("pamline reads it back from " + level.value, *run("convert", "--to", "pam", "-o", back, work / ("theirs-%s.mem" % level.value)))
    report("the store is equal", load(SOURCE / "memory-store.json") == load(back / "memory-store.json"))

report("pamline reads it back", *run("convert", "--to", "pam", "-o", work / "back", work / "theirs-L2.mem"))
report("the store is equal", load(SOURCE / "memory-store.json") == load(work / "back/memory-store.json"))

key = signing.PortableSigningKey()
public = ed25519.Ed25519PublicKey.from_public_bytes(key.verifying_key.raw_representation)
pem = work / "key.pub"
pem.write_bytes(public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
exporter.BundleExporter().export(store, work / "signed.mem", signing_key=key)
report("pamline verifies its signature", *run("validate", "--key", pem, work / "signed.mem"))

victim = sorted(store.episodes)[0]
erasure = signing.sign_tombstone(tombstone.Tombstone(
    id="tomb_1", op=tombstone.TombstoneOp("delete"), target_kind="episode", target_id=victim, actor="u1",
    deleted_at=datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)), key)
store.apply_tombstone(erasure)
exporter.BundleExporter().export(store, work / "erased.mem")
report("pamline verifies its signed tombstone", *run("validate", work / "erased.mem"))
for name, flags in [("kept", []), ("gone", ["--accept", pem])]:
    report("pamline merges its tombstone, " + name, *run("convert", "--to", "pam", *flags, "-o", work / name, work / "ours.mem", work / "erased.mem"))
    memory = next(m for m in load(work / name / "memory-store.json")["memories"] if m["id"] == victim)
    report("the memory is " + name, (memory["content"] == "[erased]") == (name == "gone"), memory["status"])
report("pamline writes the tombstone again", *run("convert", "--to", "mem", "-o", work / "again.mem", work / "gone"))
again = [json.loads(line) for line in (work / "again.mem/audit/tombstones.jsonl").read_text().splitlines()]
report("with its signature", [t["signature"] for t in again] == [erasure.signature])
issues = validator.BundleValidator().validate(work / "again.mem").issues
report("the package accepts it", not issues, issues)

exporter.BundleExporter().export_evidence_pack(store, work / "their-evidence.mem", signing_key=key)
report("pamline accepts the package's Evidence Pack", *run("validate", "--strict", "--key", pem, work / "their-evidence.mem"))
report("pamline writes an Evidence Pack", *run("convert", "--to", "mem", "--evidence", "-o", work / "our-evidence.mem", SOURCE))
issues = validator.BundleValidator().validate(work / "our-evidence.mem").issues
report("the package accepts it", not issues, issues)

# What was erased here is erased in the package's store: by the tombstones of the bundle after it.
data = work / "data"
report("pamline imports", *run("import", "examples/sample-export", "--owner", "sample", "--data", data))
report("pamline writes a bundle of the owner", *run("convert", "--data", data, "--to", "mem", "-o", work / "given.mem", "sample"))
told = Store()
importer.BundleImporter().import_bundle(told, work / "given.mem", reembed=False)
evidence = [m["metadata"]["evidence"] for m in load(SOURCE / "memory-store.json")["memories"]]
only = min(evidence, key=len)[0]["conversation"]  # that alone states some of the memories
report("pamline erases a conversation", *run("erase", "--data", data, "--owner", "sample", "--conversation", only, "--yes", "--keep-original"))
report("pamline writes the next bundle", *run("convert", "--data", data, "--to", "mem", "--since", work / "given.mem", "-o", work / "next.mem", "sample"))
issues = validator.BundleValidator().validate(work / "next.mem").issues
report("the package accepts it", not issues, issues)
before = set(told.episodes)
importer.BundleImporter().import_bundle(told, work / "next.mem", reembed=False)
left = {json.loads(line)["id"] for line in (work / "next.mem/items/episode.jsonl").read_text().splitlines()}
report("the package has erased the same memories", set(told.episodes) == left and left < before, [len(before), len(told.episodes), len(left)])

print("work folder:", work)
sys.exit(1 if failed else 0)
