// Package bundletest makes a small valid bundle for tests.
package bundletest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/pamio"
)

// The ids of what is in the bundle.
const (
	Talk      = "11111111-1111-5111-8111-111111111111" // chatgpt, two answers to one question
	Folded    = "22222222-2222-5222-8222-222222222222" // chatgpt, put together from two archives
	Elsewhere = "33333333-3333-5333-8333-333333333333" // claude
	Likes     = "aaaaaaaa-0000-5000-8000-000000000001" // a preference with evidence
	Lives     = "aaaabbbb-0000-5000-8000-000000000002" // a fact without
)

// raw is the text of a JSON value, or none.
func raw(s string) pamio.RawJSON {
	if s == "" {
		return nil
	}
	return pamio.RawJSON(s)
}

func text(s string) *pamio.Content { return &pamio.Content{Type: "text", Text: &s} }

func conversation(id, platform, title, metadata string) *pamio.Conversation {
	return &pamio.Conversation{
		ID: id, Title: &title, Provider: pamio.Provider{Name: platform, ConversationID: "c-" + id[:4]},
		Temporal: pamio.Span{CreatedAt: "2025-03-01T10:00:00Z", UpdatedAt: "2025-03-02T10:00:00Z"},
		Messages: []pamio.Message{
			{ID: "root-q", Role: "user", CreatedAt: "2025-03-01T10:00:00Z", Content: text("I like tea more than coffee. Which one is best in the evening?"), ChildrenIDs: []string{"a1", "a2"}},
			{ID: "a1", Role: "assistant", CreatedAt: "2025-03-01T10:00:10Z", Content: text("Rooibos: it has no caffeine."), ParentID: "root-q", ChildrenIDs: []string{}, Model: "gpt-4o"},
			{ID: "a2", Role: "assistant", CreatedAt: "2025-03-01T10:01:00Z", Content: text("Camomile."), ParentID: "root-q", ChildrenIDs: []string{}, Model: "gpt-4o"},
		},
		RawMetadata: raw(metadata),
		Import: &pamio.ImportMetadata{
			Importer: "pamline/1.0.0", ImporterVersion: platform + "-importer/2026.07", ImportedAt: "2025-03-02T10:00:00Z",
			SourceFile: "conversations.json", SourceChecksum: "sha256:" + fmt.Sprintf("%064d", 7),
		},
	}
}

func memory(id, kind, content, metadata string) *pamio.Memory {
	return &pamio.Memory{
		ID: id, Type: kind, Status: "active", Content: content, ContentHash: pamio.ContentHash(content), Tags: []string{},
		Confidence: &pamio.Confidence{Initial: 0.9, Current: 0.9, DecayModel: "none"},
		Temporal:   pamio.Temporal{CreatedAt: "2025-03-01T10:00:00Z"},
		Provenance: pamio.Provenance{Platform: "chatgpt", ConversationRef: Talk, MessageRef: "root-q", ExtractionMethod: "api_export", Extractor: "pamline-harvest/1.0.0"},
		Metadata:   raw(metadata),
	}
}

// Write makes the bundle in a folder.
func Write(folder string) error {
	if err := os.MkdirAll(filepath.Join(folder, "conversations"), 0o755); err != nil {
		return err
	}
	derived := map[string][]string{Talk: {Likes, Lives}}
	var index, memories bytes.Buffer
	entries := pamio.NewSection(&index)
	for _, c := range []*pamio.Conversation{
		conversation(Talk, "chatgpt", "Evening tea", ""),
		conversation(Folded, "chatgpt", "Tea \x1b[31mtwice\u202e", `{"conflicts":[{"pointer":"/title","value":"Tea"}]}`),
		conversation(Elsewhere, "claude", "Other tea", ""),
	} {
		ref, count := "conversations/"+c.ID+".json", int64(len(c.Messages))
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(ref)), c.AppendJSON(nil), 0o644); err != nil {
			return err
		}
		e := &pamio.IndexEntry{
			ID: c.ID, Platform: c.Provider.Name, Title: c.Title, MessageCount: &count, Temporal: c.Temporal, Tags: []string{},
			DerivedMemories: derived[c.ID], Storage: &pamio.Storage{Type: "file", Ref: ref, Format: "json"},
		}
		text, err := e.AppendCanonical(nil)
		if err != nil {
			return err
		}
		if err := entries.Add(text); err != nil {
			return err
		}
	}
	section := pamio.NewSection(&memories)
	for _, m := range []*pamio.Memory{
		memory(Likes, "preference", "Likes tea more than coffee.", `{"evidence":[{"conversation":"`+Talk+`","end":27,"message":"root-q","observed_at":"2025-03-01T10:00:00Z","quote":"I like tea more than coffee","start":0}],"evidence_count":3}`),
		memory(Lives, "fact", "Lives by the sea.", ""),
	} {
		text, err := m.AppendCanonical(nil)
		if err != nil {
			return err
		}
		if err := section.AddOrdered(m.ID, text); err != nil {
			return err
		}
	}
	var store bytes.Buffer
	h := pamio.Header{
		ExportID: "99999999-9999-4999-8999-999999999999", ExportedBy: "pamline/1.0.0", ExportDate: "2025-03-03T10:00:00Z",
		Owner: pamio.Owner{ID: "me"}, ExportType: "full",
	}
	if err := pamio.WriteStore(&store, h, &memories, nil, &index, section.Integrity(), nil); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, pamio.StoreFile), store.Bytes(), 0o644)
}
