package ingest_test

import (
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/providers/importer"
)

// Extractors do not know importers, so the kinds are named twice.
func TestKindsOfRecordsAreTheSameForImportersAndExtractors(t *testing.T) {
	for _, k := range [][2]string{
		{importer.RecordMemory, extract.RecordMemory}, {importer.RecordInstruction, extract.RecordInstruction},
		{importer.RecordProfile, extract.RecordProfile}, {importer.RecordProject, extract.RecordProject},
		{importer.RecordAssistant, extract.RecordAssistant}, {importer.RecordFeedback, extract.RecordFeedback},
		{importer.RecordSetting, extract.RecordSetting},
	} {
		if k[0] != k[1] {
			t.Errorf("%q and %q", k[0], k[1])
		}
	}
}
