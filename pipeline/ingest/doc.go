// Package ingest reads a drop: it opens the archive where it lies, asks the importers which members
// they read, copies those that are assets, and writes the others as packs of snapshots and records,
// a shard each, and last the manifest. It is a function of storage: run again after an
// interruption, it continues behind the last complete pack.
package ingest
