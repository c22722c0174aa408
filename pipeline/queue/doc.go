// Package queue is a task queue on NATS JetStream. It knows tasks, streams and leases; it does not
// know what a task is about, and it never reads or writes storage.
//
// A task is a subject, a body and a few headers. Its subject has at least four tokens:
//
//	pam.<kind>.<lane>.<name…>        pam.extract.small.ann.5c3f….1.77ab…
//
// The kind selects the stream, the lane selects the consumer (a priority, or a partition), and the
// rest names the task. If lanes are shared fairly between owners, the owner is the fourth token.
//
// # Sending
//
// [Queue.Send] returns when the server has stored the task. A stream holds one task of each
// subject: sending a task again while it waits or is being handled does nothing and succeeds.
//
// # Handling
//
// [Queue.Consume] fetches tasks and runs a [Handler] on each. While a handler runs, heartbeats tell
// the server so; when it returns, its [Result] says what becomes of the task. Delivery is at least
// once: a task comes back when its worker dies, when an acknowledgement is lost, or when a worker
// was suspended for longer than the acknowledgement time. Handlers must therefore be idempotent.
//
// A task that has to wait is stored as a delayed copy under another subject, with "wait" in the
// place of the lane and one token more, and acknowledged in its lane, where it would occupy one of
// the places for tasks in flight. The server counts the delay, so the clocks of the machines need
// not agree. The number of attempts is a header of the copy.
//
// Nothing in a queue is the truth: all of it may be lost, and is then rebuilt from storage by the
// callers. The queue of a single machine ([OpenEmbedded]) is therefore kept in memory only.
package queue
