package main

// departure is a point in which pamline does not do what the letter of the specification says, or
// decides what it leaves open.
type departure struct{ id, reason string }

var departures = []departure{
	{"P02", "Inside, there is object storage, not a database: a head that is swapped, and objects that are written once. It gives what §1.3 wants of a database (queries by the search index, no half-written state), and survives losing any process."},
	{"P03", "A bundle also has `assets/`, the files of conversations, and `SHA256SUMS` with its signature: PAM has attachments but no place for their bytes, and no checksum of files beside the store. Programs that know PAM only pass them over."},
	{"P14", "Ids that pamline makes are UUIDv5 of type and content, not UUID v4 (recommended): the same archive gives the same ids at any time and in any order, which a random id cannot. Ids of imported PAM stores stay what they are."},
	{"P22", "Every status may return to active if the memory has a later time, not only along the seven transitions of §7.1: an archive that is imported later may show that what was superseded, retracted or archived holds again. `validate --base` reports all others."},
	{"P23", "`confidence.current` is that of the last evidence; time does not reduce it. A store must not depend on the day of its publishing. Readers apply `decay_model` from `last_reinforced`. A confirmation by hand counts as evidence of a kind, not as a priority."},
	{"P39", "`since` may lie before the base: times of memories are those of what was said, and archives of long ago are imported today. `since` is then one second before the earliest change in the delta; `base_export_id` says what it builds on ([exchange](exchange.md))."},
	{"P40", "New data folders are encrypted at rest; buckets if their key is named, and stores that were begun plain if they are converted. Bundles that are given away are encrypted only with `export --encrypt`; files are private to their user. Network traffic to other machines is TLS unless `tls.plain` names the host."},
	{"P44", "A role that no provider has documented becomes `system`, never `user`: only the person's own words make memories. `function` is `tool`, `developer` is `system`. Grok's senders follow the published mapping. The provider's word is kept in `raw_metadata`."},
	{"P47", "In conversations without branches `parent_id` and `children_ids` are absent, not null and `[]`: pamline writes no nulls, because programs that drop them compute other checksums. Conversations of providers with links keep them, branches or not, as the example of the specification does."},
	{"P49", "`imported_at` is the time of the newest file in the archive, not that of reading it: reading twice must give the same bytes. Without a known time it is absent. The receipt has the time of the import."},
	{"P51", "Where the published mappings lose something, it is kept: thoughts of Claude are messages of their own, results of tools are messages and outputs, voice and code keep their texts, texts and images stay in their order. Gemini's rows without a conversation are not joined by time, because that invents conversations; Copilot's talks have lasting ids."},
	{"embeddings.created_at", "It is the time of the memory, not that of computing the vector: vectors are recorded once and a store must not depend on when that was."},
}
