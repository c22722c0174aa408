// Package pipeline is the pipeline as a whole: from an archive in an inbox to a published store.
//
// [OpenLocal] runs all of it in this process, with a queue in memory. [Join] connects to the queue
// of a cluster, whose workers are processes of the same type that [Pipeline.Run] some stages. Both
// give a *[Pipeline], which is a [Client]: commands ask it for work, wait for receipts, and list
// imports, without knowing who does the work. [NewView] only looks at a store.
//
// The parts are packages of their own, lowest first: state (keys and objects), job (the record of
// what is wanted and done), queue (tasks on NATS), ingest, extraction and publish (the stages),
// dispatch (tasks of jobs as messages), work (messages to stages), inbox, status, replay and edit.
package pipeline
