package validate_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/pamline/pamline/pamio/validate"
)

// A document that is broken in one place is checked in all others.
func ExampleRun() {
	const text = `{
		"schema": "portable-ai-memory", "schema_version": "1.0", "owner": {"id": "unknown"},
		"memories": [{
			"id": "m1", "type": "fact", "content": "Lives in Ghent.",
			"content_hash": "sha256:0000000000000000000000000000000000000000000000000000000000000000",
			"temporal": {"created_at": "2026-01-02"}, "provenance": {"platform": "chatgpt"}
		}]
	}`
	store := validate.Document("store.json", func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
	report, err := validate.Run(context.Background(), store, validate.Options{
		OnFinding: func(f validate.Finding) { fmt.Printf("%s: %s at %q\n", f.Severity, f.ID, f.Pointer) },
	})
	fmt.Println(report.Verdict(), err)
	// Output:
	// error: content-hash at "/memories/0/content_hash"
	// error: format-date-time at "/memories/0/temporal/created_at"
	// warning: owner-unknown at "/owner/id"
	// info: integrity-absent at ""
	// not valid <nil>
}
