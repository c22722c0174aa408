package state_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/state"
)

func TestWhatIsEncrypted(t *testing.T) {
	drop := strings.Repeat("0a", 32)
	for key, want := range map[string]string{
		state.HeadKey("ann"):                        "ann",
		state.OwnerKey("ann", "assets/x.png"):       "ann",
		state.TakenKey("ann", "1"):                  "ann",
		state.TakenKey("", "1"):                     state.Nobody,
		state.FailedKey("ann", drop, 1, "ingest"):   "ann",
		state.DropKey("ann", drop, "drop.json"):     "ann",
		state.DropKey("ann", drop, "part-000"):      "ann",
		"inbox/ann/export.zip":                      "",
		"inbox/ann/" + drop + "/conversations.json": "",
		"inbox/ann/" + drop:                         "",
		"inbox/export.zip":                          "",
		state.OpenKey("ann", drop, 1):               "",
		"keys/owners/ann.json":                      "",
		"owners/Ann/head.json":                      "",
		"owners/ann":                                "",
	} {
		if owner, ok := state.Sealed(key); ok != (want != "") || ok && owner != want {
			t.Errorf("%s: %q %v, want %q", key, owner, ok, want)
		}
	}
}
