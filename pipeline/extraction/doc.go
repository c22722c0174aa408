// Package extraction reads one shard of an import and writes the candidates that the extractors find in it, what the gate
// rejects, recorded answers of services and vectors, and last the marker. It is a function of storage: run again, it finds the
// marker and does nothing.
package extraction
