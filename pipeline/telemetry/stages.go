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
	// StagePublish is the stage of the event of an import that has changed the store, ahead of its
	// end: whoever waits for the end may have gone before the event of that.
	StagePublish = "publish"
	// StageDone is the stage of the event that ends an import.
	StageDone = "done"
)
