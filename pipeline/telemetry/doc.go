// Package telemetry is how the stages and the worker report: progress events, Prometheus figures
// and spans. All hold references, counts and classes; none holds a person's words.
package telemetry
