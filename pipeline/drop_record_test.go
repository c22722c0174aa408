package pipeline

import (
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// Whoever may write into an inbox may write drop.json, too.
func TestRecordThatLeadsOutOfTheInboxIsNotBelieved(t *testing.T) {
	d, s := inboxDeps(t)
	secret := manyConversations(3)
	s.put(t, "inbox/ann/private.json", secret)
	s.put(t, "inbox/root.json", secret)
	drop := state.Digest(twoConversations)
	part := func(p state.DropPart) state.DropRecord {
		p.Name, p.SHA256, p.Size = "a", drop, int64(len(secret))
		return state.DropRecord{V: 1, Owner: "eve", Drop: drop, Parts: []state.DropPart{p}}
	}
	elsewhere := part(state.DropPart{Key: "inbox/eve/a.json"})
	elsewhere.Owner = "ann"
	also := func(a state.DropPart) state.DropRecord {
		a.Name, a.Size = "b", int64(len(secret))
		if a.SHA256 == "" {
			a.SHA256 = drop
		}
		return part(state.DropPart{Key: "inbox/eve/a.json", Also: []state.DropPart{a}})
	}
	another := part(state.DropPart{Key: "inbox/eve/a.json"})
	another.Parts[0].SHA256 = state.Digest(secret)
	for name, rec := range map[string]state.DropRecord{
		"an object of another inbox":         part(state.DropPart{Key: "inbox/ann/private.json"}),
		"an object of the root":              part(state.DropPart{Key: "inbox/root.json"}),
		"an object of no inbox":              part(state.DropPart{Key: "owners/ann/head.json"}),
		"a folder of another inbox":          part(state.DropPart{Key: "inbox/ann/", Files: []state.DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"files outside their folder":         part(state.DropPart{Key: "inbox/eve/f/", Files: []state.DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"a folder without its slash":         part(state.DropPart{Key: "inbox/eve/f", Files: []state.DropFile{{Name: "x.json", Key: "inbox/eve/fg/x.json"}}}),
		"a further place in another inbox":   also(state.DropPart{Key: "inbox/ann/private.json"}),
		"a further place of another content": also(state.DropPart{Key: "inbox/eve/b.json", SHA256: state.Digest(secret)}),
		"a further place of a further place": also(state.DropPart{Key: "inbox/eve/b.json", Also: []state.DropPart{{Key: "inbox/ann/private.json", SHA256: drop}}}),
		"a further folder elsewhere":         also(state.DropPart{Key: "inbox/eve/f/", Files: []state.DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"more places than are written":       part(state.DropPart{Key: "inbox/eve/a.json", Also: make([]state.DropPart, state.MaxAlso+1)}),
		"another owner's":                    elsewhere,
		"another drop's":                     another,
		"no parts":                           {V: 1, Owner: "eve", Drop: drop},
	} {
		if err := state.PutJSON(t.Context(), d.Store, state.DropKey("eve", drop, "drop.json"), rec); err != nil {
			t.Fatal(err)
		}
		if _, err := state.ReadDrop(t.Context(), d.Store, "eve", drop); fault.Of(err) != fault.Permanent {
			t.Errorf("%s is read: %v", name, err)
		}
		// It keeps nobody from the drop whose name it has.
		s.put(t, "inbox/eve/a.json", twoConversations)
		if err := d.Store.Delete(t.Context(), recordOf(t, d, "inbox/eve/a.json")); err != nil {
			t.Fatal(err)
		}
		if _, err := takeOne(t, d, importTask("inbox/eve/a.json")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := state.ReadDrop(t.Context(), d.Store, "eve", drop); err != nil || now.Parts[0].Key != "inbox/eve/a.json" {
			t.Errorf("after %s the record is %+v (%v)", name, now, err)
		}
	}
}

func recordOf(t *testing.T, d Deps, key string) string {
	t.Helper()
	u, ok, err := lookUp(t.Context(), d.Store, d.Inbox, key)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return u.Record()
}
