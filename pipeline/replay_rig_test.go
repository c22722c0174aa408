package pipeline

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// countingStore counts the writes to a store, by key.

type countingStore struct {
	blob.Store
	mu   sync.Mutex
	puts []string
	gets []string
}

func (c *countingStore) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	c.mu.Lock()
	c.puts = append(c.puts, key)
	c.mu.Unlock()
	return c.Store.Put(ctx, key, body, o)
}

func (c *countingStore) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	c.mu.Lock()
	c.gets = append(c.gets, key)
	c.mu.Unlock()
	return c.Store.Get(ctx, key, r)
}

// newer is a second version of notes: it says every text in capitals, and reads what is called extra.json, too.

type newer struct{ notes }

func (n newer) Version() string { return n.name + "-importer/2026.02" }

func (n newer) Claim(ctx context.Context, members []archive.Member, p providers.Peeker, l providers.Limits) (providers.Claim, error) {
	c, err := n.notes.Claim(ctx, members, p, l)
	for _, m := range members {
		if m.Name == "extra.json" {
			c.Members = append(c.Members, providers.ClaimedMember{Member: m, Role: "notes"})
		}
	}
	return c, err
}

func (n newer) Decode(u providers.Unit) ([]providers.Item, error) {
	items, err := n.notes.Decode(u)
	for _, i := range items {
		if i.Conversation != nil {
			title := "New"
			i.Conversation.Doc.Title = &title
		}
		if i.Record != nil {
			i.Record.Text = strings.ReplaceAll(i.Record.Text, "tea", "coffee")
		}
	}
	return items, err
}

// take takes a drop in and imports it.

func take(t *testing.T, d Deps, owner, file string) state.Receipt {
	t.Helper()
	return runImport(t, d, owner, file)
}

// again reads selected drops once more, as a command in one process does, and gives the answers and receipts by drop.

func again(t *testing.T, d Deps, sel Selection, importer string) (map[string]Replay, map[string]state.Receipt) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l, err := OpenLocal(ctx, d, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	answers, receipts := map[string]Replay{}, map[string]state.Receipt{}
	for _, one := range selected(t, d, sel) {
		a, err := Prepare(ctx, d, one.Ask(importer, nil, true), new(Notice))
		if err != nil {
			t.Fatal(err)
		}
		answers[one.Drop] = a
		if a.State != ReplayQueued {
			continue
		}
		events, stop := l.Watch(one.Owner, one.Drop)
		if err := l.Submit(ctx, a.Request); err != nil {
			t.Fatal(err)
		}
		r, err := l.Wait(ctx, events, a.Request, 3)
		stop()
		if err != nil {
			t.Fatal(err)
		}
		receipts[one.Drop] = r
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return answers, receipts
}

func selected(t *testing.T, d Deps, sel Selection) []Selected {
	t.Helper()
	var out []Selected
	for one, err := range Select(t.Context(), d.Store, sel) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

const (
	twoTalks  = `[{"id":"t-1","text":"Hello."},{"id":"t-2","text":"Bye."},{"id":"r","record":{"kind":"memory","title":"","text":"User likes tea."}}]`
	extraTalk = `[{"id":"t-3","text":"More."}]`
)

func notesZip(t *testing.T, files ...string) string {
	t.Helper()
	m := map[string]string{"notes.json": twoTalks}
	for i := 0; i+1 < len(files); i += 2 {
		m[files[i]] = files[i+1]
	}
	return zipOf(t, m)
}
