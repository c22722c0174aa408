package state_test

import (
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// Whoever may write into an inbox may write drop.json, too.
func TestARecordThatLeadsOutOfTheInboxIsNotBelieved(t *testing.T) {
	s := statetest.New()
	drop := objects.Digest("an export")
	part := func(p state.DropPart) state.DropRecord {
		p.Name, p.SHA256 = "a", drop
		return state.DropRecord{V: 1, Owner: "eve", Drop: drop, Parts: []state.DropPart{p}}
	}
	also := func(a state.DropPart) state.DropRecord {
		if a.Name = "b"; a.SHA256 == "" {
			a.SHA256 = drop
		}
		return part(state.DropPart{Key: "inbox/eve/a.json", Also: []state.DropPart{a}})
	}
	another, elsewhere := part(state.DropPart{Key: "inbox/eve/a.json"}), part(state.DropPart{Key: "inbox/eve/a.json"})
	another.Parts[0].SHA256, elsewhere.Owner = objects.Digest("x"), "ann"
	for name, rec := range map[string]state.DropRecord{
		"an object of another inbox":      part(state.DropPart{Key: "inbox/ann/private.json"}),
		"an object of the root":           part(state.DropPart{Key: "inbox/root.json"}),
		"an object of no inbox":           part(state.DropPart{Key: "owners/ann/head.json"}),
		"a folder of another inbox":       part(state.DropPart{Key: "inbox/ann/", Files: []state.DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"files outside their folder":      part(state.DropPart{Key: "inbox/eve/f/", Files: []state.DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"a folder without its slash":      part(state.DropPart{Key: "inbox/eve/f", Files: []state.DropFile{{Name: "x.json", Key: "inbox/eve/fg/x.json"}}}),
		"another place in another inbox":  also(state.DropPart{Key: "inbox/ann/private.json"}),
		"another place of other content":  also(state.DropPart{Key: "inbox/eve/b.json", SHA256: objects.Digest("x")}),
		"another place of another place":  also(state.DropPart{Key: "inbox/eve/b.json", Also: []state.DropPart{{Key: "inbox/ann/private.json", SHA256: drop}}}),
		"another folder in another inbox": also(state.DropPart{Key: "inbox/eve/f/", Files: []state.DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"more places than are written":    part(state.DropPart{Key: "inbox/eve/a.json", Also: make([]state.DropPart, state.MaxAlso+1)}),
		"another owner's":                 elsewhere,
		"another drop's":                  another,
		"no parts":                        {V: 1, Owner: "eve", Drop: drop},
	} {
		if err := objects.PutJSON(t.Context(), s, state.DropKey("eve", drop, "drop.json"), rec); err != nil {
			t.Fatal(err)
		}
		if _, err := state.ReadDrop(t.Context(), s, "eve", drop); fault.Of(err) != fault.Permanent {
			t.Errorf("%s is read: %v", name, err)
		}
	}
	good := also(state.DropPart{Key: "inbox/eve/b.json"})
	if err := objects.PutJSON(t.Context(), s, state.DropKey("eve", drop, "drop.json"), good); err != nil {
		t.Fatal(err)
	}
	if rec, err := state.ReadDrop(t.Context(), s, "eve", drop); err != nil || len(rec.Parts[0].Also) != 1 {
		t.Errorf("a good record: %+v, %v", rec, err)
	}
}

func TestADropIsNamedByItsContent(t *testing.T) {
	a, b := state.DropPart{SHA256: objects.Digest("a")}, state.DropPart{SHA256: objects.Digest("b")}
	if state.DropDigest([]state.DropPart{a}) != a.SHA256 {
		t.Error("a drop of one part is named by another digest than the part's")
	}
	if state.DropDigest([]state.DropPart{a, b}) == state.DropDigest([]state.DropPart{a}) || state.DropDigest([]state.DropPart{a, b}) == b.SHA256 {
		t.Error("a drop of two parts has the name of one")
	}
}
