// Package work runs the stages on the tasks of the queue: message, job, stage, result, next tasks,
// acknowledgement.
//
// A [Worker] trusts storage and not the message. A task of another generation is acknowledged and
// dropped; a task whose unit is settled does no work, but still sends what follows. What becomes of
// failed work follows from the class of its error:
//
//	Outage     the task waits in its lane, no attempt is counted, and the stage pauses
//	Unit       a delayed copy brings the task back, until it has had its attempts
//	Permanent  the unit fails: a failed object, the next tasks, the acknowledgement
//
// A delivery that may follow a crash leaves a crash mark in storage while it runs. A unit that has
// crashed a worker runs alone, and fails after a few crashes.
package work
