package search

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio"
)

// talk is a conversation of a test: its messages are a role and a text each.
type talk struct {
	title, platform, day string
	says                 [][2]string
	files                []string
}

// remembered is a memory of a test.
type remembered struct{ content, kind, status, day string }

func nameOf(s string) string { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(s)).String() }

// write makes the bundle of some conversations and memories in a folder.
func write(t *testing.T, folder string, talks []talk, memories []remembered) {
	t.Helper()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "conversations"), 0o755); err != nil {
		t.Fatal(err)
	}
	var index, list bytes.Buffer
	entries, section := pamio.NewSection(&index), pamio.NewSection(&list)
	for _, k := range talks {
		c := k.conversation()
		doc := c.AppendJSON(nil)
		ref := fmt.Sprintf("conversations/%s.%.8x.json", c.ID, sha256.Sum256(doc))
		check(t, os.WriteFile(filepath.Join(folder, ref), doc, 0o600))
		e := &pamio.IndexEntry{ID: c.ID, Platform: c.Provider.Name, Title: c.Title, Temporal: c.Temporal, Tags: []string{}, Storage: &pamio.Storage{Type: "file", Ref: ref, Format: "json"}}
		raw, err := e.AppendCanonical(nil)
		check(t, err)
		check(t, entries.Add(raw))
	}
	for _, m := range memories {
		e := &pamio.Memory{
			ID: nameOf(m.content), Type: m.kind, Status: m.status, Content: m.content, ContentHash: pamio.ContentHash(m.content), Tags: []string{},
			Temporal: pamio.Temporal{CreatedAt: m.day + "T10:00:00Z"}, Provenance: pamio.Provenance{Platform: "claude", ExtractionMethod: "api_export"},
		}
		raw, err := e.AppendCanonical(nil)
		check(t, err)
		check(t, section.Add(raw))
	}
	var store bytes.Buffer
	h := pamio.Header{ExportID: nameOf("export"), ExportedBy: "pamline/1.0.0", ExportDate: "2025-03-03T10:00:00Z", Owner: pamio.Owner{ID: "me"}, ExportType: "full"}
	check(t, pamio.WriteStore(&store, h, &list, nil, &index, section.Integrity(), nil))
	check(t, os.WriteFile(filepath.Join(folder, pamio.StoreFile), store.Bytes(), 0o600))
}

func (k talk) conversation() *pamio.Conversation {
	title := k.title
	at := k.day + "T10:00:00Z"
	platform := k.platform
	if platform == "" {
		platform = "chatgpt"
	}
	c := &pamio.Conversation{ID: nameOf(k.title), Title: &title, Provider: pamio.Provider{Name: platform}, Temporal: pamio.Span{CreatedAt: at}}
	for i, s := range k.says {
		text := s[1]
		c.Messages = append(c.Messages, pamio.Message{ID: fmt.Sprintf("m%d", i), Role: s[0], CreatedAt: fmt.Sprintf("%sT10:%02d:00Z", k.day, i%60), Content: &pamio.Content{Type: "text", Text: &text}})
	}
	for i, name := range k.files {
		c.Messages[i].Attachments = []pamio.Attachment{{Type: "file", Name: name}}
	}
	return c
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// updated opens the index of a bundle, up to date.
func updated(t *testing.T, path, folder string) (*Index, *pamio.Bundle, Changes) {
	t.Helper()
	b, err := pamio.OpenBundle(folder)
	check(t, err)
	x, changes, err := OpenCurrent(context.Background(), path, b, "", nil)
	check(t, err)
	t.Cleanup(func() { _, _ = x.Close(), b.Close() })
	return x, b, changes
}

// find gives the hits of a query as "conversation title/message", or the content of a memory.
func find(t *testing.T, x *Index, b *pamio.Bundle, query string, o Options) (places []string) {
	t.Helper()
	q, err := ParseQuery(query)
	check(t, err)
	r, err := x.Find(context.Background(), b, q, o)
	check(t, err)
	for _, h := range r.Hits {
		switch h.Kind {
		case "memory":
			places = append(places, h.Text)
		case "message":
			places = append(places, h.Title+"/"+h.Message)
		default:
			places = append(places, h.Kind+": "+h.Title)
		}
	}
	return places
}
