package convert_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
)

// erased are the ids of what was erased.
type erased map[string]bool

func (e erased) at(id string) string {
	if e[id] {
		return "2025-06-01T12:00:00Z"
	}
	return ""
}
func (e erased) MemoryErased(id, text, _ string) string { return e.at(id) + e.at(text) }
func (e erased) ConversationErased(id, _ string) string { return e.at(id) }
func (e erased) FileErased(path string) string          { return e.at(path) }

// since converts a store with an earlier bundle beside it.
func since(t testing.TB, files, old fstest.MapFS, was erased) (fstest.MapFS, *convert.Report) {
	t.Helper()
	b, err := pamio.NewBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := mem.New(old)
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	o := convert.Options{Scratch: t.TempDir(), Since: earlier, Erased: was}
	r, err := convert.MemFromPAM(context.Background(), b, o, mem.WriteOptions{Generator: "test/1", Level: "L2", Key: ed25519.NewKeyFromSeed(make([]byte, 32))}, collect(out))
	if err != nil {
		t.Fatal(err)
	}
	return out, r
}

// cut is the store without its memory m2 and what belongs to that.
func cut(t testing.TB) fstest.MapFS {
	t.Helper()
	text := store[:strings.Index(store, `{"id":"m2"`)] + store[strings.Index(store, `{"id":"m1"`):strings.Index(store, ` "relations"`)] + `"relations":[],"conversations_index":[]}`
	return fstest.MapFS{"memory-store.json": {Data: []byte(text)}}
}

func TestErasedRowsGetTombstonesByTheEarlierBundle(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	t.Parallel()
	old, _ := toMem(t, bundleOf(store), false)
	for name, was := range map[string]erased{
		"by the memory": {"m2": true, "c1": true}, "by what it says": {"Ana likes <green> tea & 茶.": true, "c1": true}, "by its conversation": {"c1": true},
	} {
		m, r := since(t, cut(t), old, was)
		got := string(m[mem.TombstonesFile].Data)
		for _, want := range []string{`"targetID":"m2","targetKind":"episode"`, `"targetID":"c1","targetKind":"context"`, `"targetID":"c1","targetKind":"pamConversationDoc"`, `"deletedAt":"2025-06-01T12:00:00Z"`, `"episodeLinkCount":1`, `"signature":"ed25519:`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s is missing in %s", name, want, got)
			}
		}
		if strings.Contains(got, "tea") || strings.Contains(got, `"targetID":"m1"`) || len(r.Notes) > 0 {
			t.Errorf("%s: %s %v", name, got, r.Notes)
		}
		// Who has the earlier bundle loses it, and the bundle after this one has the same
		// tombstones.
		out, _, _ := toPAM(t, false, old, m)
		for path, f := range out {
			if bytes.Contains(f.Data, []byte("green")) || bytes.Contains(f.Data, []byte(`"Tea"`)) {
				t.Errorf("%s: it is still in %s", name, path)
			}
		}
		next, _ := since(t, cut(t), m, was)
		if !bytes.Equal(next[mem.TombstonesFile].Data, m[mem.TombstonesFile].Data) {
			t.Errorf("%s: the next bundle has other tombstones", name)
		}
	}
}

func TestRowsThatAreNotErasedGetNoTombstones(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	t.Parallel()
	old, _ := toMem(t, bundleOf(store), false)
	m, r := since(t, cut(t), old, erased{})
	if m[mem.TombstonesFile] != nil || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "2 rows") {
		t.Errorf("%v %s", r.Notes, m[mem.TombstonesFile])
	}
	// A memory that is stated again has its id again.
	gone, _ := since(t, cut(t), old, erased{"m2": true, "c1": true})
	m, r = since(t, bundleOf(store), gone, erased{"m2": true, "c1": true})
	if strings.Contains(string(m[mem.TombstonesFile].Data), `"targetID":"m2","targetKind":"episode"`) || r.Losses["tombstones of rows that are there again"] == 0 {
		t.Errorf("%v %s", r.Losses, m[mem.TombstonesFile].Data)
	}
}

func TestElementsThatDependOnWhatIsErasedAreCovered(t *testing.T) {
	t.Parallel()
	memory := func(kind, raw string) []byte {
		d, err := mem.Canonicalize([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		carried := string(pamio.AppendString(nil, string(d)))
		return []byte(`{"id":"x","type":"custom","custom_type":"mem_x","status":"archived","content":"x","content_hash":"x","tags":[],"temporal":{"created_at":"2025-01-01T00:00:00Z"},"provenance":{"platform":"portable-memory"},"metadata":{"mem":{"kind":"` + kind + `","n":0,"raw":` + carried + `}}}`)
	}
	dead := func(ids ...string) func(string) bool {
		return func(id string) bool { return strings.Contains(" "+strings.Join(ids, " ")+" ", " "+id+" ") }
	}
	for name, c := range map[string]struct {
		raw    []byte
		erased []string
		want   bool
	}{
		"a fact of an episode":               {memory("fact", `{"id":"f","episodeID":"ep_1"}`), []string{"ep_1"}, true},
		"a fact of another episode":          {memory("fact", `{"id":"f","episodeID":"ep_2"}`), []string{"ep_1"}, false},
		"a category by its name":             {memory("category", `{"name":"food"}`), []string{"category:food"}, true},
		"a foreign row by its id":            {memory("vendorThing", `{"id":"vt"}`), []string{"vendorThing:vt"}, true},
		"a row of another kind":              {memory("core", `{"id":"human"}`), []string{"entity:human"}, false},
		"an edge whose evidence is all gone": {memory("edge", `{"id":"e","srcEntityID":"a","dstEntityID":"b","evidenceEpisodeIDs":["ep_1","ep_2"]}`), []string{"ep_1", "ep_2"}, true},
		"an edge with other evidence":        {memory("edge", `{"id":"e","srcEntityID":"a","dstEntityID":"b","evidenceEpisodeIDs":["ep_1","ep_3"]}`), []string{"ep_1", "ep_2"}, false},
		"a link of one end":                  {memory("factLink", `{"srcFactID":"f1","dstFactID":"f2","linkType":"x"}`), []string{"fact:f2"}, true},
		"the log":                            {memory("audit", `{"targetID":"ep_1"}`), []string{"ep_1"}, false},
		"no memory at all":                   {[]byte(`[]`), []string{"ep_1"}, false},
	} {
		if got := convert.IsErased(c.raw, dead(c.erased...)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
