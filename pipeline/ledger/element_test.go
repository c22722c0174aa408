package ledger_test

import (
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/statetest"
)

const erasedAt = "2026-01-01T00:00:00Z"

func TestElementsOfOtherStoresGoWithWhatTheyBelongTo(t *testing.T) {
	t.Parallel()
	l := change(t, statetest.New(), "ann", func(l *ledger.Ledger) ledger.Entry {
		return ledger.Entry{At: erasedAt, Keys: []string{l.Key(ledger.Memory, "m1"), l.Key(ledger.Conversation, "c1"), l.Key(ledger.Tombstone, "ep_1")}}
	})
	memory := func(id, ref, metadata string) string {
		return `{"id":"` + id + `","type":"fact","status":"active","content":"x","content_hash":"x","tags":[],"temporal":{"created_at":"2025-01-01T00:00:00Z"},"provenance":{"platform":"x","conversation_ref":"` + ref + `"},"metadata":` + metadata + `}`
	}
	for name, c := range map[string]struct {
		kind, raw, at string
		want          bool
	}{
		"the memory":                    {extract.RecordPAMMemory, memory("m1", "c2", "{}"), "2025-01-01T00:00:00Z", true},
		"the memory, stated later":      {extract.RecordPAMMemory, memory("m1", "c2", "{}"), "2026-02-01T00:00:00Z", false},
		"a tombstone holds for ever":    {extract.RecordPAMMemory, memory("ep_1", "c2", "{}"), "2026-02-01T00:00:00Z", true},
		"of the conversation":           {extract.RecordPAMMemory, memory("m2", "c1", "{}"), "2026-02-01T00:00:00Z", true},
		"with evidence in it":           {extract.RecordPAMMemory, memory("m2", "c2", `{"evidence":[{"conversation":"c2"},{"conversation":"c1"}]}`), "", true},
		"another":                       {extract.RecordPAMMemory, memory("m2", "c2", "{}"), "", false},
		"a relation":                    {extract.RecordPAMRelation, `{"id":"r","from":"m2","to":"m1","type":"supports"}`, "", true},
		"another relation":              {extract.RecordPAMRelation, `{"id":"r","from":"m2","to":"m3","type":"supports"}`, "", false},
		"the entry of the conversation": {extract.RecordPAMConversation, `{"id":"c1","platform":"x"}`, "", true},
		"that of another":               {extract.RecordPAMConversation, `{"id":"c2","platform":"x"}`, "", false},
		"a vector":                      {extract.RecordPAMEmbedding, `{"id":"v","memory_id":"m1"}`, "", true},
		"another vector":                {extract.RecordPAMEmbedding, `{"id":"v","memory_id":"m2"}`, "", false},
		"what is no element":            {extract.RecordPAMMemory, `[]`, "", false},
		"a record of another kind":      {extract.RecordSetting, `{"id":"m1"}`, "", false},
	} {
		if got := l.HasElement(c.kind, []byte(c.raw), c.at); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestALedgerTellsWhenSomethingWasErased(t *testing.T) {
	t.Parallel()
	l := change(t, statetest.New(), "ann", func(l *ledger.Ledger) ledger.Entry {
		return ledger.Entry{At: erasedAt, Keys: []string{l.Key(ledger.Memory, "m1"), l.Key(ledger.Conversation, "c1"), l.Key(ledger.Record, "Likes plums"), l.Key(ledger.Asset, "assets/a")}}
	})
	for name, got := range map[string]string{
		"memory": l.MemoryErased("m1", "", ""), "its words": l.MemoryErased("m2", "likes  plums", ""), "conversation": l.ConversationErased("c1", ""), "file": l.FileErased("assets/a"),
	} {
		if got != erasedAt {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, got := range map[string]string{
		"memory": l.MemoryErased("m2", "Likes pears", ""), "conversation": l.ConversationErased("c2", ""), "file": l.FileErased("assets/b"), "no id": l.MemoryErased("", "", ""),
	} {
		if got != "" {
			t.Errorf("another %s: %q", name, got)
		}
	}
	all := change(t, statetest.New(), "bob", func(*ledger.Ledger) ledger.Entry { return ledger.Entry{At: erasedAt, All: true} })
	if all.MemoryErased("m1", "", "2025-01-01T00:00:00Z") != erasedAt || all.MemoryErased("m1", "", "2026-02-01T00:00:00Z") != "" || all.ConversationErased("c1", "") != erasedAt {
		t.Error("of everything, the time does not decide")
	}
}
