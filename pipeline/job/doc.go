// Package job is the record of the work that is wanted, done and failed for a drop. It knows
// storage only: no queue and no stage.
//
// A job has one record, written by compare-and-swap. A generation is one numbered request for a
// job. A unit is one part of the work: reading the archive ("ingest"), one shard, or the assembly
// ("assemble"). A shard is settled if it needs no more work in a generation. A generation is
// decided if nothing can change its outcome; a job ends after its generation is decided.
//
// # Use
//
// Somebody wants work (a drop, a replay, an edit, an erasure): call [Jobs.Ask], or [Jobs.Redrive]
// to retry what failed. Send a message for each task of the answer. To wait, read the record until
// [Record.HasEnded].
//
// A handler gets a task from a message and does this:
//
//  1. [Jobs.Open] reads the record. On ErrStale, acknowledge and stop.
//  2. [Jobs.Begin] guards redelivered tasks against crash loops.
//  3. Unless the unit is settled, do the work and write its result:
//     ingest [Jobs.Decide]; a shard objects.PutOnce of its result; assembly [Jobs.Accept] and
//     [Jobs.End]. If the work has failed for good: [Jobs.Fail].
//  4. Send the tasks of [Jobs.NextAfter], even if the unit was settled before, then acknowledge.
//
// Messages may be lost, duplicated and late. [Jobs.Pass] finds open generations without messages.
// [Jobs.Sweep] removes leftovers. [Jobs.DeadLetters] lists what failed.
//
// # Order of writes
//
// Each operation can stop after any of its writes. The order makes each remainder safe: the hint
// before the record (an open record always has a hint); the manifest before the import enters the
// record; a partial result before the failed object of its shard; the failed object before a
// refusal or a failed decision; the input set before the head; the head
// before its copy in the log of heads; the copy before the receipt and before the next head; the
// receipt before the record ends; the record before its hint is removed. "Once" means
// If-None-Match: the second writer uses the stored bytes.
package job
