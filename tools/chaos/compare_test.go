package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func sampleState() State {
	return State{
		Files:   map[string][]byte{"owners/ana/current.json": []byte("{}"), "owners/ana/conversations/x.json": []byte("hello")},
		Letters: map[string]bool{"ingest permanent ana/1/ingest because": true},
	}
}

func TestEveryDifferenceIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*State)
		want   string
	}{
		"an object is missing":      {func(s *State) { delete(s.Files, "owners/ana/current.json") }, "missing: owners/ana/current.json"},
		"an object differs":         {func(s *State) { s.Files["owners/ana/current.json"] = []byte("[]") }, "differs: owners/ana/current.json"},
		"an object too many":        {func(s *State) { s.Files["owners/ana/more"] = nil }, "not there in the undisturbed run: owners/ana/more"},
		"a dead letter is missing":  {func(s *State) { clear(s.Letters) }, "no dead letter: ingest"},
		"a dead letter too many":    {func(s *State) { s.Letters["extract"] = true }, "dead letter: extract"},
		"something is wrong at all": {func(s *State) { s.wrong("left over: work/ana/x") }, "left over: work/ana/x"},
	} {
		got := sampleState()
		c.change(&got)
		out := compareStates(sampleState(), got)
		if len(out) != 1 || !strings.HasPrefix(out[0], c.want) {
			t.Errorf("%s: %q", name, out)
		}
	}
	if out := compareStates(sampleState(), sampleState()); len(out) > 0 {
		t.Errorf("equal states differ: %q", out)
	}
}

// bucket is a store of one owner as pamline leaves it.
func bucket() map[string][]byte {
	store := `{"export_id":"e1","export_date":"2026-01-01T00:00:00Z","memories":[],"conversations_index":[{"storage":{"ref":"conversations/a.json"}}]}`
	return publishFormats("e1", map[string][]byte{
		"owners/ana/head.json":                []byte(`{"v":1,"sequence":1,"export_id":"e1","inputs":"aa","memories":"m"}`),
		"owners/ana/inputs/aa.json":           []byte(`{"v":1,"drops":{"d1":{"import":"i1","gen":1}}}`),
		"owners/ana/jobs/d1.json":             []byte(`{"v":1,"gen":1,"want":{"lane":"bulk"},"state":"ended","import":"i1","outcome":"done"}`),
		"owners/ana/exports/e1.json":          []byte(store),
		"owners/ana/memory-store.json":        []byte(store),
		"owners/ana/conversations/a.json":     []byte(`{"id":"a"}`),
		"owners/ana/conversations/old.json":   []byte(`{"id":"old"}`),
		"owners/ana/imports/i1/manifest.json": []byte(`{"v":1,"lane":"bulk","parts":[{"name":"again x.zip"}],"shards":[{"id":"s","snapshots":1}]}`),
		"owners/ana/receipts/d1/1.json":       []byte(`{"v":1,"gen":1,"import":"i1","drop":"d1","state":"done","parts":[{"name":"again x.zip"}],"store":{"published":true,"export_id":"e1"}}`),
	})
}

// publishFormats adds an export in other formats, with its copies, to a bucket, and names it in the
// head.
func publishFormats(export string, all map[string][]byte) map[string][]byte {
	var files []string
	for _, end := range ends {
		body := []byte("an export of " + export + " as " + end)
		all["owners/ana/exports/"+export+end], all["owners/ana/memories"+end] = body, body
		files = append(files, fmt.Sprintf(`%q:{"sha256":"%x","size":%d}`, end, sha256.Sum256(body), len(body)))
	}
	head, _, _ := strings.Cut(string(all["owners/ana/head.json"]), `,"formats"`)
	all["owners/ana/head.json"] = []byte(strings.TrimSuffix(head, "}") + `,"formats":{` + strings.Join(files, ",") + "}}")
	return all
}

func stateOf(t *testing.T, all map[string][]byte) State {
	t.Helper()
	s := State{Files: map[string][]byte{}}
	if err := s.owner("ana", all, 0); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatBelongsToTheMomentMakesNoDifference(t *testing.T) {
	other := map[string][]byte{}
	for key, body := range bucket() {
		text := strings.NewReplacer("e1", "e2", "2026-01-01", "2027-02-03", "again x.zip", "x.zip", "bulk", "small", `"gen":1`, `"gen":3`).Replace(string(body))
		other[strings.NewReplacer("exports/e1", "exports/e2", "d1/1.json", "d1/3.json").Replace(key)] = []byte(text)
	}
	publishFormats("e2", other)
	delete(other, "owners/ana/conversations/old.json") // of a store in between
	other["owners/ana/cache.zst"] = []byte("copies of the others")
	other["owners/ana/imports/i1/candidates/ab.2.zst"] = []byte("a partial result")
	other["owners/ana/receipts/d1/1.json"] = []byte(`{"v":1,"gen":1,"state":"done with losses"}`)
	want, got := stateOf(t, bucket()), stateOf(t, other)
	if out := compareStates(want, got); len(out) > 0 {
		t.Errorf("%q", out)
	}
	if want.Shards != 1 || want.Asked != 1 || want.Superseded != 1 || got.Superseded != 2 {
		t.Errorf("counted %+v and %+v", want, got)
	}
}

func TestWhatIsWrongInItselfIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		key, body, want string
	}{
		"copy of another store":     {"memory-store.json", `{}`, "is not the store"},
		"vectors without a store's": {"embeddings.json", `{}`, "is not what the head names"},
		"more swaps than asked for": {"head.json", `{"sequence":9,"export_id":"e1","inputs":"aa"}`, "sequence"},
		"a format's other copy":     {"memories.mem.zip", `x`, "is not a copy"},
		"a format's other bytes":    {"exports/e1.mif.json", `x`, "is not the file that the head names"},
		"a head without formats":    {"head.json", `{"sequence":1,"export_id":"e1","inputs":"aa"}`, "names no file"},
		"a head of nothing":         {"head.json", `{"sequence":0,"export_id":"e1","inputs":"aa"}`, "sequence"},
	} {
		all := bucket()
		all["owners/ana/"+c.key] = []byte(c.body)
		if s := stateOf(t, all); !slices.ContainsFunc(s.Wrong, func(w string) bool { return strings.Contains(w, c.want) }) {
			t.Errorf("%s: %q", name, s.Wrong)
		}
	}
	if s := stateOf(t, bucket()); len(s.Wrong) > 0 {
		t.Errorf("a sound store: %q", s.Wrong)
	}
}

func TestDifferencesSayAfterWhichAct(t *testing.T) {
	got := []State{sampleState(), sampleState()}
	clear(got[1].Letters)
	out := compareAll([]act{{name: "imports"}, {name: "replays"}}, []State{sampleState(), sampleState()}, got)
	if len(out) != 1 || !strings.HasPrefix(out[0], "after replays: no dead letter") {
		t.Errorf("%q", out)
	}
}

func TestWordsOfAnotherOwnerAreFound(t *testing.T) {
	all := map[string][]byte{
		"owners/ana/conversations/a.json":   []byte(canary("ana")),
		"owners/ana-2/conversations/b.json": []byte(canary("ana-2")),
	}
	s := State{}
	s.strangers([]string{"ana", "ana-2"}, all)
	if len(s.Wrong) > 0 {
		t.Errorf("%q", s.Wrong)
	}
	all["work/ana-2/x.json"] = []byte("before " + canary("ana") + " behind")
	s.strangers([]string{"ana", "ana-2"}, all)
	if len(s.Wrong) != 1 || !strings.Contains(s.Wrong[0], "work/ana-2/x.json holds words of ana") {
		t.Errorf("%q", s.Wrong)
	}
	s = State{}
	maps.DeleteFunc(all, func(key string, _ []byte) bool { return !strings.Contains(key, "/ana/") })
	if s.strangers([]string{"ana", "ana-2"}, all); len(s.Wrong) != 1 {
		t.Errorf("a check that could find nothing passes: %q", s.Wrong)
	}
}
