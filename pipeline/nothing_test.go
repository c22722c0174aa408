package pipeline

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
)

// A drop of which nothing can be kept is refused; the store, the imports and the work folder stay as they were.
func TestDropWithNothingInItIsRefusedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an empty list":          `[]`,
		"only what is no export": `{}`,
		"only broken units":      `[{"conversation_id":"c-1","title":"T","mapping":{"a":{"message":nonsense}}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			d := testDeps(t)
			file := filepath.Join(t.TempDir(), "conversations.json")
			writeFile(t, file, text)
			r := runImport(t, d, "me", file)
			if r.State != state.StateRefused || r.Reason == "" || r.Hint == "" || name == "an empty list" && strings.Contains(r.Hint, "password") {
				t.Errorf("%s: %s (%s)", r.State, r.Reason, r.Hint)
			}
			for o := range d.Store.List(t.Context(), "") {
				if !strings.HasPrefix(o.Key, "inbox/") && !strings.HasSuffix(o.Key, "/receipt.json") {
					t.Errorf("left behind: %s", o.Key)
				}
			}
		})
	}
}

func TestUnknownImporterIsRefusedAtOnce(t *testing.T) {
	d := testDeps(t)
	rec, err := TakeIn(t.Context(), d.Store, "me", []string{zipOf(t, map[string]string{"conversations.json": twoConversations})}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ingest.Ingest(t.Context(), d.ingest(), state.Request{V: state.MessageVersion, Owner: "me", Drop: rec.Drop, Lane: state.LaneSmall, Importer: "nobody"}, nil)
	if fault.Of(err) != fault.Permanent {
		t.Errorf("class %s: %v", fault.Of(err), err)
	}
}
