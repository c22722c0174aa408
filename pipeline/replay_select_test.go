package pipeline

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

func TestSelectorsCombine(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	a := take(t, d, "ann", zipOf(t, map[string]string{"conversations.json": twoConversations}))
	d.Registry = providers.NewRegistry(notes{name: "notes"})
	b := take(t, d, "ann", notesZip(t))
	c := take(t, d, "ann-b", notesZip(t))
	at := map[string]time.Time{}
	for _, one := range selected(t, d, Selection{}) {
		at[one.Owner+one.Drop] = one.Ended
	}
	if len(at) != 3 {
		t.Fatal(at)
	}
	for name, test := range map[string]struct {
		sel  Selection
		want []string
	}{
		"owner":              {Selection{Owner: "ann"}, []string{a.Import, b.Import}},
		"provider":           {Selection{Provider: "notes"}, []string{b.Import, c.Import}},
		"both":               {Selection{Owner: "ann", Provider: "notes"}, []string{b.Import}},
		"version":            {Selection{Importer: "notes-importer/2026.01"}, []string{b.Import, c.Import}},
		"another version":    {Selection{Importer: "notes-importer/2026.02"}, nil},
		"since, inclusive":   {Selection{Since: at["ann"+b.Drop]}, []string{b.Import, c.Import}},
		"until, exclusive":   {Selection{Until: at["ann"+b.Drop]}, []string{a.Import}},
		"between":            {Selection{Since: at["ann"+b.Drop], Until: at["ann-b"+c.Drop]}, []string{b.Import}},
		"an import":          {Selection{Import: c.Import}, []string{c.Import}},
		"of somebody else":   {Selection{Import: c.Import, Owner: "ann"}, nil},
		"the start of an id": {Selection{Import: b.Import[:9], Owner: "ann"}, []string{b.Import}},
		"nobody":             {Selection{Owner: "an"}, nil},
	} {
		var got []string
		for _, one := range selected(t, d, test.sel) {
			got = append(got, one.Import)
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	for owner, want := range map[string]bool{"ann": true, "an": false, "ann-b": true} {
		if known, err := KnownOwner(t.Context(), d.Store, owner); err != nil || known != want {
			t.Errorf("%s: %v %v", owner, known, err)
		}
	}
}

// An import with losses that is asked for again has no receipt until it has ended.
func TestADropThatIsBeingDoneAgainIsSelected(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	file := zipOf(t, map[string]string{"conversations.json": twoConversations})
	before := take(t, d, "me", file)
	d.Limits.MaxDepth = 100 // another import of the same drop
	now := take(t, d, "me", file)
	if now.Drop != before.Drop || now.Import == before.Import {
		t.Fatal("it is not another import of the same drop")
	}
	if err := d.Store.Delete(t.Context(), state.ReceiptKey("me", now.Import)); err != nil {
		t.Fatal(err)
	}
	for name, sel := range map[string]Selection{
		"all": {}, "owner": {Owner: "me"}, "provider": {Provider: "chatgpt"}, "itself": {Import: now.Import}, "the one before": {Import: before.Import},
	} {
		if got := selected(t, d, sel); len(got) != 1 || got[0].Drop != now.Drop || got[0].Import != now.Import || got[0].Trouble != "" || len(got[0].Importers) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, sel := range map[string]Selection{
		"another provider": {Provider: "claude"}, "when it ended": {Until: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}, "another owner": {Owner: "you"},
	} {
		if got := selected(t, d, sel); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if err := d.Store.Delete(t.Context(), state.ReceiptKey("me", before.Import)); err != nil {
		t.Fatal(err)
	}
	if got := selected(t, d, Selection{}); len(got) != 1 || got[0].Import != now.Import {
		t.Errorf("an owner without any receipt: %+v", got)
	}
}

func TestADamagedReceiptDoesNotKeepTheOthersFromBeingSelected(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	take(t, d, "me", zipOf(t, map[string]string{"conversations.json": twoConversations}))
	id := strings.Repeat("ab", 16)
	if _, err := d.Store.Put(t.Context(), state.ReceiptKey("me", id), strings.NewReader("{"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	got := selected(t, d, Selection{})
	if len(got) != 2 || (got[0].Trouble == "") == (got[1].Trouble == "") {
		t.Errorf("%+v", got)
	}
}

func TestTheFailureOfAStoreEndsASelection(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	take(t, d, "me", zipOf(t, map[string]string{"conversations.json": twoConversations}))
	broken := &failing{Store: d.Store, key: "receipt.json"}
	for one, err := range Select(t.Context(), broken, Selection{}) {
		if err == nil {
			t.Errorf("%+v", one)
		}
	}
}

type failing struct {
	blob.Store
	key string
}

func (f *failing) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if strings.HasSuffix(key, f.key) {
		return nil, blob.Object{}, errors.New("out of order")
	}
	return f.Store.Get(ctx, key, r)
}
