package pipeline

import (
	"testing"
)

// Whoever may write into an inbox may write drop.json, too.
func TestRecordThatLeadsOutOfTheInboxIsNotBelieved(t *testing.T) {
	d, s := inboxDeps(t)
	secret := manyConversations(3)
	s.put(t, "inbox/ann/private.json", secret)
	s.put(t, "inbox/root.json", secret)
	drop := digest(twoConversations)
	part := func(p DropPart) DropRecord {
		p.Name, p.SHA256, p.Size = "a", drop, int64(len(secret))
		return DropRecord{V: 1, Owner: "eve", Drop: drop, Parts: []DropPart{p}}
	}
	elsewhere := part(DropPart{Key: "inbox/eve/a.json"})
	elsewhere.Owner = "ann"
	also := func(a DropPart) DropRecord {
		a.Name, a.Size = "b", int64(len(secret))
		if a.SHA256 == "" {
			a.SHA256 = drop
		}
		return part(DropPart{Key: "inbox/eve/a.json", Also: []DropPart{a}})
	}
	another := part(DropPart{Key: "inbox/eve/a.json"})
	another.Parts[0].SHA256 = digest(secret)
	for name, rec := range map[string]DropRecord{
		"an object of another inbox":         part(DropPart{Key: "inbox/ann/private.json"}),
		"an object of the root":              part(DropPart{Key: "inbox/root.json"}),
		"an object of no inbox":              part(DropPart{Key: "owners/ann/head.json"}),
		"a folder of another inbox":          part(DropPart{Key: "inbox/ann/", Files: []DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"files outside their folder":         part(DropPart{Key: "inbox/eve/f/", Files: []DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"a folder without its slash":         part(DropPart{Key: "inbox/eve/f", Files: []DropFile{{Name: "x.json", Key: "inbox/eve/fg/x.json"}}}),
		"a further place in another inbox":   also(DropPart{Key: "inbox/ann/private.json"}),
		"a further place of another content": also(DropPart{Key: "inbox/eve/b.json", SHA256: digest(secret)}),
		"a further place of a further place": also(DropPart{Key: "inbox/eve/b.json", Also: []DropPart{{Key: "inbox/ann/private.json", SHA256: drop}}}),
		"a further folder elsewhere":         also(DropPart{Key: "inbox/eve/f/", Files: []DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}}),
		"more places than are written":       part(DropPart{Key: "inbox/eve/a.json", Also: make([]DropPart, maxAlso+1)}),
		"another owner's":                    elsewhere,
		"another drop's":                     another,
		"no parts":                           {V: 1, Owner: "eve", Drop: drop},
	} {
		if err := putJSON(t.Context(), d.Store, dropKey("eve", drop, "drop.json"), rec); err != nil {
			t.Fatal(err)
		}
		if _, err := readDrop(t.Context(), d.Store, "eve", drop); ClassOf(err) != Permanent {
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
		if now, err := readDrop(t.Context(), d.Store, "eve", drop); err != nil || now.Parts[0].Key != "inbox/eve/a.json" {
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
	return u.record()
}
