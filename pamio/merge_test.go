package pamio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func text(name, s string) Source {
	return Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }}
}

func mergeText(t testing.TB, o MergeOptions, base string, deltas ...string) (string, *MergeReport) {
	t.Helper()
	var out bytes.Buffer
	var sources []Source
	for i, d := range deltas {
		sources = append(sources, text(fmt.Sprintf("delta %d", i), d))
	}
	o.Scratch = t.TempDir()
	r, err := Merge(&out, text("base", base), sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

func deltaText(t testing.TB, base, next string) (string, *DeltaReport) {
	t.Helper()
	var out bytes.Buffer
	r, err := Delta(&out, text("base", base), text("next", next), DeltaOptions{Limits: Limits{Scratch: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

// history makes the exports of one made-up owner, one after the other. Nothing ever goes away.
type history struct {
	r          *rand.Rand
	exports    int
	memories   map[string]map[string]any
	relations  map[string]map[string]any
	index      map[string]map[string]any
	extensions map[string]any
}

func newHistory(seed uint64) *history {
	return &history{r: rand.New(rand.NewPCG(seed, 7)), memories: map[string]map[string]any{}, relations: map[string]map[string]any{},
		index: map[string]map[string]any{}, extensions: map[string]any{}}
}

func (h *history) time(max int) string {
	return FormatTime(time.Unix(1700000000+int64(h.r.IntN(max)), 0))
}

// grow changes some elements and adds some.
func (h *history) grow() {
	for range h.r.IntN(12) {
		id := fmt.Sprintf("m-%d", h.r.IntN(30))
		if h.r.IntN(8) == 0 {
			id = []string{"m-ä", "m-\"q", "m-\U0001F600", "m-\uE000"}[h.r.IntN(4)]
		}
		content := fmt.Sprintf("Fact %d of %s", h.r.IntN(9), id)
		h.memories[id] = map[string]any{
			"id": id, "type": "fact", "content": content, "content_hash": ContentHash(content), "status": []string{"active", "retracted", "archived"}[h.r.IntN(3)],
			"temporal":   map[string]any{"created_at": h.time(1000), "updated_at": h.time(90000000)},
			"provenance": map[string]any{"platform": "claude", "x-unknown": h.r.IntN(3)}, "metadata": map[string]any{"n": json.Number("1.50"), "none": nil},
		}
	}
	for range h.r.IntN(6) {
		id := fmt.Sprintf("r-%d", h.r.IntN(12))
		h.relations[id] = map[string]any{"id": id, "from": "m-1", "to": fmt.Sprintf("m-%d", h.r.IntN(9)), "type": "supports", "created_at": h.time(1000)}
	}
	for range h.r.IntN(6) {
		id := fmt.Sprintf("c-%d", h.r.IntN(8))
		h.index[id] = map[string]any{"id": id, "platform": "claude", "title": fmt.Sprint("Talk ", h.r.IntN(5)), "temporal": map[string]any{"created_at": h.time(1000)}}
	}
	if h.r.IntN(3) == 0 {
		h.extensions[fmt.Sprintf("x-%d", h.r.IntN(3))] = h.r.IntN(100)
	}
}

// export writes the state, in any order of members and elements.
func (h *history) export(t testing.TB) string {
	t.Helper()
	h.exports++
	list := func(set map[string]map[string]any) []any {
		all := []any{}
		for _, v := range set {
			all = append(all, v)
		}
		slices.SortFunc(all, func(a, b any) int {
			return strings.Compare(a.(map[string]any)["id"].(string), b.(map[string]any)["id"].(string))
		})
		if h.r.IntN(2) == 0 {
			h.r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		}
		return all
	}
	doc := map[string]any{
		"schema": StoreSchema, "schema_version": "1.0", "owner": map[string]any{"id": "ada"}, "export_id": fmt.Sprintf("e-%d", h.exports),
		"export_date": FormatTime(time.Unix(1700000000+int64(h.exports)*1000000, 0)), "export_type": "full",
		"memories": list(h.memories), "relations": list(h.relations), "conversations_index": list(h.index),
	}
	for k, v := range h.extensions {
		doc[k] = v
	}
	return seal(t, doc, h.r.IntN(2) == 0)
}

// seal adds the integrity block and writes a document.
func seal(t testing.TB, doc map[string]any, indent bool) string {
	t.Helper()
	var raw [][]byte
	for _, m := range doc["memories"].([]any) {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, b)
	}
	sum, err := Checksum(raw)
	if err != nil {
		t.Fatal(err)
	}
	doc["integrity"] = map[string]any{"checksum": sum, "total_memories": len(raw), "canonicalization": "RFC8785"}
	b, err := json.Marshal(doc)
	if indent && err == nil {
		b, err = json.MarshalIndent(doc, "", "  ")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// value is a document with its collections as sets.
func value(t testing.TB, doc string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err, doc)
	}
	for _, c := range collections {
		set := map[string]any{}
		list, _ := v[c].([]any)
		for _, e := range list {
			id := e.(map[string]any)["id"].(string)
			if set[id] != nil {
				t.Fatalf("%s has %s twice", c, id)
			}
			set[id] = e
		}
		v[c] = set
	}
	return v
}

// seeds is the number of histories to draw, with -short a tenth of it.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

func TestMergingADeltaGivesTheNextExport(t *testing.T) {
	for seed := range seeds(60) {
		h := newHistory(seed)
		h.grow()
		base := h.export(t)
		h.grow()
		next := h.export(t)
		delta, r := deltaText(t, base, next)
		merged, _ := mergeText(t, MergeOptions{}, base, delta)
		if want, got := value(t, next), value(t, merged); !reflect.DeepEqual(want, got) {
			t.Fatalf("seed %d: merged\n%s\nnext\n%s\ndelta\n%s", seed, merged, next, delta)
		}
		for _, c := range collections {
			if n := int64(len(value(t, delta)[c].(map[string]any))); n != r.Tallies[c].Added+r.Tallies[c].Updated {
				t.Errorf("seed %d: the delta has %d %s, the report says %+v", seed, n, c, r.Tallies[c])
			}
		}
		// Nothing changed: the delta is empty, and merging it gives the base.
		empty, r := deltaText(t, next, next)
		if r.Tallies[memoriesKey].Total+r.Tallies[relationsKey].Total+r.Tallies[indexKey].Total != 0 {
			t.Errorf("seed %d: the delta of equals has %+v", seed, r.Tallies)
		}
		if same, _ := mergeText(t, MergeOptions{}, next, empty); !reflect.DeepEqual(value(t, next), value(t, same)) {
			t.Errorf("seed %d: merging nothing changes something", seed)
		}
	}
}

func TestDeltasMayBeGroupedInAnyWay(t *testing.T) {
	for seed := range seeds(20) {
		h := newHistory(seed + 1000)
		h.grow()
		all := []string{h.export(t)}
		var deltas []string
		for range 3 {
			h.grow()
			all = append(all, h.export(t))
			d, _ := deltaText(t, all[len(all)-2], all[len(all)-1])
			deltas = append(deltas, d)
		}
		base, d1, d2, d3 := all[0], deltas[0], deltas[1], deltas[2]
		merge := func(base string, deltas ...string) string {
			out, _ := mergeText(t, MergeOptions{Limits: Limits{Budget: 1 + h.r.Int64N(2000)}}, base, deltas...)
			return out
		}
		want := merge(base, d1, d2, d3)
		if !reflect.DeepEqual(value(t, want), value(t, all[3])) {
			t.Fatalf("seed %d: the chain does not give the last export", seed)
		}
		for name, got := range map[string]string{
			"one by one":      merge(merge(merge(base, d1), d2), d3),
			"first together":  merge(merge(base, d1, d2), d3),
			"last together":   merge(merge(base, d1), d2, d3),
			"deltas first":    merge(base, merge(d1, d2, d3)),
			"deltas in pairs": merge(base, merge(d1, merge(d2, d3))),
			"others in pairs": merge(base, merge(merge(d1, d2), d3)),
		} {
			if !reflect.DeepEqual(value(t, want), value(t, got)) {
				t.Fatalf("seed %d, %s:\n%s\nwant\n%s", seed, name, got, want)
			}
		}
	}
}

func storeOf(t testing.TB, members string, memories ...string) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},`+members+`}`), &doc); err != nil {
		t.Fatal(err)
	}
	list := []any{}
	for _, m := range memories {
		var v any
		if err := json.Unmarshal([]byte(m), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	doc["memories"] = list
	return seal(t, doc, false)
}

const full, incremental = `"export_id":"e-1","export_date":"2026-01-01T00:00:00Z"`, `"export_id":"e-2","export_type":"incremental","base_export_id":"e-1"`

func memory(id, more string) string {
	return fmt.Sprintf(`{"id":%q,"type":"fact","content":"c","temporal":{"created_at":"2026-01-01T00:00:00Z"%s}`, id, more)
}

func TestInputsThatDoNotBelongTogetherAreRefused(t *testing.T) {
	base := storeOf(t, full, memory("a", "")+"}")
	good := storeOf(t, incremental, memory("a", "")+"}")
	damaged := strings.Replace(good, `"content":"c"`, `"content":"d"`, 1)
	for name, c := range map[string]struct {
		delta string
		want  error
		any   bool
	}{
		"another owner":          {strings.Replace(good, "ada", "eve", 1), ErrOtherOwner, true},
		"another base":           {strings.Replace(good, `"base_export_id":"e-1"`, `"base_export_id":"e-0"`, 1), ErrUnknownBase, false},
		"another base, insisted": {strings.Replace(good, `"base_export_id":"e-1"`, `"base_export_id":"e-0"`, 1), nil, true},
		"a full export":          {strings.Replace(good, `"incremental"`, `"full"`, 1), ErrNotDelta, true},
		"damaged":                {damaged, ErrDamaged, true},
		"an id twice":            {storeOf(t, strings.Replace(incremental, "e-2", "e-3", 1), memory("b", "")+"}") + "x", nil, true},
	} {
		if strings.HasSuffix(c.delta, "x") { // a checksum cannot be made for it
			c.delta = strings.Replace(c.delta[:len(c.delta)-1], `"memories":[`, `"memories":[{"id":"b"},`, 1)
			c.want = ErrDuplicateID
		}
		var out bytes.Buffer
		_, err := Merge(&out, text("base", base), []Source{text("delta", c.delta)}, MergeOptions{AnyBase: c.any})
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err != nil && out.Len() > 0 {
			t.Errorf("%s: something was written", name)
		}
	}
	if _, err := Delta(io.Discard, text("base", base), text("next", good), DeltaOptions{}); !errors.Is(err, ErrNotDelta) {
		t.Errorf("the delta of a delta: %v", err)
	}
	nameless := strings.Replace(base, `"export_id":"e-1",`, "", 1)
	if _, err := Delta(io.Discard, text("base", nameless), text("next", base), DeltaOptions{}); err == nil {
		t.Error("a delta was made that cannot name its base")
	}
}

func TestConflictsAreExplained(t *testing.T) {
	base := storeOf(t, full,
		memory("older", `,"updated_at":"2026-02-01T00:00:00Z"`)+"}", memory("back", "")+`,"status":"retracted"}`, memory("gone", "")+"}",
		memory("same", `,"updated_at":"2026-02-01T00:00:00Z"`)+"}", memory("words", "")+"}", memory("fine", "")+"}")
	next := storeOf(t, incremental,
		memory("older", `,"updated_at":"2026-01-15T00:00:00Z"`)+"}", memory("back", `,"updated_at":"2026-03-01T00:00:00Z"`)+`,"status":"active"}`,
		memory("gone", `,"updated_at":"2026-03-01T00:00:00Z"`)+`,"status":"retracted"}`, memory("same", `,"updated_at":"2026-02-01T00:00:00Z"`)+`,"summary":"s"}`,
		strings.Replace(memory("words", `,"updated_at":"2026-03-01T00:00:00Z"`), `"c"`, `"d"`, 1)+"}", memory("fine", "")+"}")
	got := map[string][]ConflictKind{}
	merged, r := mergeText(t, MergeOptions{}, base, next)
	for _, c := range r.Conflicts {
		got[c.Memory] = append(got[c.Memory], c.Kind)
		if c.Message == "" || c.Delta != 0 {
			t.Errorf("%+v", c)
		}
	}
	want := map[string][]ConflictKind{"older": {OlderWins}, "back": {Unretracted}, "same": {SameTime}, "words": {ContentReplaced}}
	if !reflect.DeepEqual(got, want) || r.ConflictCount != 4 {
		t.Errorf("conflicts %v (%d), want %v", got, r.ConflictCount, want)
	}
	// The delta wins, and what is retracted stays in the store.
	memories := value(t, merged)[memoriesKey].(map[string]any)
	if memories["gone"].(map[string]any)["status"] != "retracted" || memories["words"].(map[string]any)["content"] != "d" {
		t.Errorf("merged %v", memories)
	}
	if tally := r.Tallies[memoriesKey]; tally.Updated != 5 || tally.Unchanged != 1 || tally.Total != 6 {
		t.Errorf("tally %+v", tally)
	}
}

func TestElementsKeepTheirBytes(t *testing.T) {
	base := `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"export_id":"e-1","x-kept":[1, 2],
		"memories":[{ "x" : 1.0, "id":"b" }, {"id" : "a", "none":null}]}`
	d := `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"export_type":"incremental","base_export_id":"e-1","x-new":1E2,
		"memories":[{"id":"\u0063",  "n":1.50}, {"id":"b","x":1, "y":2}]}`
	merged, r := mergeText(t, MergeOptions{}, base, d)
	for _, lexeme := range []string{`{"id" : "a", "none":null}`, `{"id":"b","x":1, "y":2}`, `{"id":"\u0063",  "n":1.50}`, `"x-kept":[1, 2]`, `"x-new":1E2`} {
		if !strings.Contains(merged, lexeme) {
			t.Errorf("%s is not in %s", lexeme, merged)
		}
	}
	for _, absent := range []string{"relations", "conversations_index", "signature", "export_type", "export_id"} {
		if strings.Contains(merged, absent) {
			t.Errorf("%s is in %s", absent, merged)
		}
	}
	in, s, err := ReadIntegrity(text("merged", merged), Limits{})
	if err != nil || *s.Integrity != in || in.TotalMemories != 3 || r.Scalars.Owner.ID != "ada" {
		t.Errorf("integrity %+v, computed %+v, %v", s, in, err)
	}
}

func TestASignatureStaysOnlyIfItHolds(t *testing.T) {
	signed := strings.Replace(storeOf(t, full, memory("a", "")+"}"), `"schema":`, `"signature":{"algorithm":"Ed25519","value":"v"},"schema":`, 1)
	merged, r := mergeText(t, MergeOptions{}, signed)
	if r.SignatureDropped || !strings.Contains(merged, `"signature"`) {
		t.Errorf("merging nothing drops the signature: %s", merged)
	}
	merged, r = mergeText(t, MergeOptions{}, signed, storeOf(t, incremental, memory("b", "")+"}"))
	if !r.SignatureDropped || strings.Contains(merged, `"signature"`) || r.Scalars.Signature != nil || r.Scalars.ExportID != "e-2" {
		t.Errorf("a signature stays that does not hold: %s", merged)
	}
}

func TestMemoriesThatMustNotBeGivenAwayAreLeftOut(t *testing.T) {
	doc := storeOf(t, full+`,"relations":[{"id":"r1","from":"a","to":"secret"},{"id":"r2","from":"a","to":"b"}],`+
		`"conversations_index":[{"id":"c","derived_memories":["a","secret","b"]},{"id":"d","derived_memories":["a"]}]`,
		memory("a", `,"superseded_by":"secret"`)+"}", memory("b", "")+"}", memory("secret", "")+`,"access":{"exportable":false}}`)
	merged, r := mergeText(t, MergeOptions{}, doc)
	if strings.Contains(merged, "secret") || len(r.Withheld) != 1 || strings.Contains(merged, "r1") || !strings.Contains(merged, `"derived_memories":["a","b"]`) {
		t.Errorf("merged %s, withheld %v", merged, r.Withheld)
	}
	in, s, err := ReadIntegrity(text("merged", merged), Limits{})
	if err != nil || *s.Integrity != in || in.TotalMemories != 2 {
		t.Errorf("integrity %+v, computed %+v, %v", s, in, err)
	}
	base := storeOf(t, full, memory("a", "")+"}", memory("secret", "")+"}")
	next := strings.Replace(doc, "e-1", "e-2", 1)
	delta, d := deltaText(t, base, next)
	if removed := d.Removed[memoriesKey]; strings.Contains(delta, "secret") || !slices.Equal(removed, []string{"secret"}) {
		t.Errorf("delta %s, removed %v", delta, removed)
	}
}

func TestSinceLiesBeforeEveryMemoryOfTheDelta(t *testing.T) {
	base := storeOf(t, `"export_id":"e-1","export_date":"2026-03-01T00:00:00Z"`, memory("a", "")+"}")
	at := func(created string) string {
		return strings.Replace(memory("b", "")+"}", "2026-01-01T00:00:00Z", created, 1)
	}
	for created, want := range map[string]string{
		"2026-03-01T00:00:01Z":        "2026-03-01T00:00:00Z",
		"2026-03-01T00:00:00Z":        "2026-02-28T23:59:59Z",
		"2019-05-05T05:05:05.500000Z": "2019-05-05T05:05:04Z",
		"1970-01-01T00:00:00Z":        "1969-12-31T23:59:59Z",
		"no time":                     "2026-03-01T00:00:00Z",
	} {
		_, r := deltaText(t, base, storeOf(t, `"export_id":"e-2"`, memory("a", "")+"}", at(created)))
		if r.Scalars.Since != want || r.Scalars.BaseExportID != "e-1" || r.Scalars.ExportID != "e-2" {
			t.Errorf("%s: since %s, want %s (%+v)", created, r.Scalars.Since, want, r.Scalars)
		}
	}
}
