package telemetry

// The stages by name.
const (
	StageEvents   = "events"
	StageInbox    = "inbox"
	StageIngest   = "ingest"
	StageExtract  = "extract"
	StageAssemble = "assemble"
	// StageTend has no queue: it looks for what no message tells of.
	StageTend = "tend"
	// StageDone is the stage of the event that ends an import.
	StageDone = "done"
)
