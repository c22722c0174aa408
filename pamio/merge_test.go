package pamio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
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
