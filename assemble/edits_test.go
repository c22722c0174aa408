package assemble

import (
	"context"
	"errors"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

func TestEditsThatCannotBeMadeAreCounted(t *testing.T) {
	berlin := lives("Berlin", day1)
	for _, tt := range []struct {
		reason string
		change func(e *Edit)
	}{
		{"edit-time", func(e *Edit) { e.At = "yesterday" }},
		{"edit-time", func(e *Edit) { e.At = "" }},
		{"edit-time", func(e *Edit) { e.At = epoch }},
		{"edit-action", func(e *Edit) { e.Action = "delete" }},
		{"edit-memory", func(e *Edit) { e.Memory = "../x" }},
		{"edit-memory", func(e *Edit) { *e = replaceBy(berlin, "x", day2); e.Memory = "" }},
		{"edit-unknown-type", func(e *Edit) { *e = replaceBy(berlin, "x", day2); e.Type = "" }},
		{"edit-empty-content", func(e *Edit) { *e = replaceBy(berlin, " ", day2) }},
		{"edit-of-unknown-memory", func(e *Edit) { e.Memory = idOf(lives("Bonn", day1)) }},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := withCandidates(berlin)
			e := edit(EditRetract, berlin, day2)
			tt.change(&e)
			s.edits = []Edit{e}
			got := assemble(t, s, Options{})
			if got.stats.Dropped[tt.reason] != 1 || len(got.stats.Dropped) != 1 || got.stats.Active != 1 || got.stats.Memories != 1 {
				t.Errorf("stats %+v", got.stats)
			}
		})
	}
}

func TestWhatIsAddedByHandIsManual(t *testing.T) {
	s := withCandidates()
	s.edits = []Edit{{At: "2024-01-02T01:00:00+01:00", Action: EditAdd, Type: "skill", Content: "Sings.", ID: "e"}}
	m := parseMemories(t, assemble(t, s, Options{}))[0]
	if m.Provenance.Platform != "manual" || m.Provenance.ExtractionMethod != "manual" || m.Confidence.Initial != 1 || m.Temporal.CreatedAt != day2 {
		t.Errorf("%+v", m)
	}
}

func TestWhatIsAddedByHandKeepsItsMarkOfSensitivity(t *testing.T) {
	s := withCandidates()
	s.edits = []Edit{{At: day1, Action: EditAdd, Type: "fact", Content: "Has asthma.", Sensitive: "health", ID: "e"}}
	m := parseMemories(t, assemble(t, s, Options{}))[0]
	if m.Access == nil || m.Access.Visibility != "private" || !slices.Contains(m.Tags, "sensitive") {
		t.Errorf("%+v, tags %v", m.Access, m.Tags)
	}
}

func TestOfTwoEditsOfOneTimeThatWithTheGreaterIDCounts(t *testing.T) {
	berlin := lives("Berlin", day1)
	away, back := edit(EditArchive, berlin, day2), edit(EditConfirm, berlin, day2)
	away.ID, back.ID = "b", "a"
	for range 2 {
		s := withCandidates(berlin)
		s.edits = []Edit{away, back}
		if got := described(t, assemble(t, s, Options{}))[0]; got != "Lives in Berlin.: archived" {
			t.Error(got)
		}
		s.edits = []Edit{back, away}
	}
}

func TestAnEditThatIsUndoneIsAsIfItHadNotBeenMade(t *testing.T) {
	berlin := lives("Berlin", day1)
	confirm := edit(EditConfirm, berlin, day2)
	confirm.ID = "a"
	for name, e := range map[string]Edit{
		"archive": edit(EditArchive, berlin, day3), "retract": edit(EditRetract, berlin, day3), "replace": replaceBy(berlin, "Lives in Bonn.", day3),
		"access": {ID: "x", At: day3, Action: EditAccess, Memory: idOf(berlin), Access: &AccessEdit{Visibility: "private"}},
	} {
		s := withCandidates(berlin)
		s.edits = []Edit{confirm}
		want := parseMemories(t, assemble(t, s, Options{}))
		e.ID = "b"
		for _, edits := range [][]Edit{{confirm, e, {ID: "c", At: day3, Action: EditUndo, Memory: e.Memory, Undoes: "b"}}, {{ID: "c", At: day1, Action: EditUndo, Undoes: "b"}, e, confirm}} {
			s.edits = edits
			got := assemble(t, s, Options{})
			if !reflect.DeepEqual(parseMemories(t, got), want) || len(got.stats.Dropped) > 0 {
				t.Errorf("%s: %v, %v", name, described(t, got), got.stats.Dropped)
			}
		}
	}
}

func TestActsAndFieldsWithoutAPlaceAreCounted(t *testing.T) {
	for _, tt := range []struct {
		reason string
		change func(c *normalize.Candidate)
		kept   int64
	}{
		{"unknown-act", func(c *normalize.Candidate) { c.Act = "forget" }, 0},
		{"retraction-of-nothing", func(c *normalize.Candidate) { *c = takeBack(without(*c)); c.Content = "" }, 0},
		{"retraction-without-time", func(c *normalize.Candidate) { *c = takeBack(*c); c.Evidence[0].ObservedAt = "" }, 0},
		{"field-slot", func(c *normalize.Candidate) { c.Slot.Value = "!" }, 1},
		{"field-derived-from", func(c *normalize.Candidate) { c.DerivedFrom = []string{"x"} }, 1},
		{"field-sensitive", func(c *normalize.Candidate) { c.Sensitive = "Very" }, 1},
		{"field-rule", func(c *normalize.Candidate) { c.Rule = "\xff" }, 1},
		{"field-event-time", func(c *normalize.Candidate) { c.EventTime = "\xff" }, 1},
		{"field-listed-at", func(c *normalize.Candidate) { *c = inList(*c, "never") }, 1},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			c := likes("tea", day1)
			tt.change(&c)
			got := assemble(t, withCandidates(c), Options{})
			if got.stats.Dropped[tt.reason] != 1 || len(got.stats.Dropped) != 1 || got.stats.Memories != tt.kept {
				t.Errorf("stats %+v", got.stats)
			}
		})
	}
}

func TestSensitiveMemoriesArePrivate(t *testing.T) {
	c := likes("tea", day1)
	c.Sensitive = "health"
	for i := range 70 {
		c.Tags = append(c.Tags, "a"+strings.Repeat("x", i))
	}
	m := parseMemories(t, assemble(t, withCandidates(c), Options{}))[0]
	if m.Access == nil || m.Access.Visibility != "private" || !m.Access.Exportable || len(m.Access.SharedWith) > 0 || !slices.Contains(m.Tags, "sensitive") {
		t.Errorf("access %+v, tags %v", m.Access, m.Tags)
	}
}

// The time at which something took its place ends a memory, and changes it.
func TestTimesOfASupersededMemory(t *testing.T) {
	got := parseMemories(t, assemble(t, withCandidates(lives("Berlin", day1), lives("Paris", day2), tell("Home: Paris", "residence", "paris", true, 4, day4)), Options{}))
	for _, m := range got {
		if m.Content == "Lives in Berlin." && (m.Temporal.ValidUntil != day2 || m.Temporal.UpdatedAt != day4 || m.Confidence.LastReinforced != day1) {
			t.Errorf("%+v %+v", m.Temporal, m.Confidence)
		}
	}
}

func TestAListIsSeenAgainInALaterExport(t *testing.T) {
	record := func(at string) normalize.Candidate {
		c := lives("Berlin", at)
		c.Evidence[0] = normalize.Evidence{Member: "memories.json", Pointer: "/0", ObservedAt: at}
		return c
	}
	got := described(t, assemble(t, withCandidates(record(day1), record(day3), lives("Paris", day2)), Options{}))
	if !slices.Contains(got, "Lives in Berlin.: active") {
		t.Error(got)
	}
}

func TestVectors(t *testing.T) {
	tea, drink, hens := without(likes("tea", day1)), without(likes("hot drinks", day2)), without(likes("hens", day1))
	vector := func(c normalize.Candidate, model string, values ...float32) Vector {
		return Vector{Hash: pamio.ContentHash(c.Content), Model: model, Values: values}
	}
	s := withCandidates(tea, drink, hens)
	s.vectors = []Vector{
		vector(tea, "m", .1, 1, 0), vector(drink, "m", .2, 1, 0), vector(hens, "m", 0, 0, 1),
		vector(tea, "m", .1, 1, 0), vector(tea, "m", .43, -1, 0), // the same again, and another by the same model
		vector(tea, "l", 1), vector(hens, "l", 1), // fewer
		vector(likes("nothing", day1), "m", 1, 2, 3), // of no memory
		vector(tea, "", 1), vector(tea, "m"), vector(tea, "m", 0, 0), vector(tea, "m", float32(math.NaN())), vector(tea, "m", float32(math.Inf(1))),
	}
	got := assemble(t, s, Options{})
	want := []string{"Likes hens.: active", "Likes hot drinks. supports Likes tea.", "Likes hot drinks.: archived like Likes tea.", "Likes tea.: active"}
	if d := described(t, got); !slices.Equal(d, want) {
		t.Errorf("got %v", d)
	}
	if got.stats.Dropped["invalid-vector"] != 5 || got.stats.Embeddings != 3 {
		t.Errorf("stats %+v", got.stats)
	}
	last := ""
	for _, e := range parseArray[pamio.Embedding](t, got.embeddings) {
		if e.Model != "m" || e.Dimensions != 3 || e.MemoryID <= last || e.CreatedAt == "" {
			t.Errorf("%+v", e)
		}
		last = e.MemoryID
		if e.MemoryID == idOf(tea) && (!slices.Equal(e.Vector, []float64{.1, 1, 0}) || e.CreatedAt != day1) {
			t.Errorf("%+v", e)
		}
	}
	s.vectors = nil
	r, err := Assemble(context.Background(), s, s, Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Digests().Embeddings != "" || r.Embeddings.Count != 0 {
		t.Error("there are embeddings without vectors")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// faulty fails in one of the things that are resolved.
type faulty struct {
	*storage
	past, edits, vectors bool
}

var errFault = errors.New("a fault")

func (f faulty) Past(ctx context.Context) iter.Seq2[normalize.Candidate, error] {
	return failing(f.past, f.storage.Past(ctx))
}
func (f faulty) Edits(ctx context.Context) iter.Seq2[Edit, error] {
	return failing(f.edits, f.storage.Edits(ctx))
}
func (f faulty) Vectors(ctx context.Context) iter.Seq2[Vector, error] {
	return failing(f.vectors, f.storage.Vectors(ctx))
}

func failing[T any](fail bool, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	if !fail {
		return seq
	}
	return func(yield func(T, error) bool) {
		var none T
		yield(none, errFault)
	}
}

func TestFaultsOfWhatIsResolvedAreReported(t *testing.T) {
	for want, in := range map[string]faulty{
		"read candidates: a fault": {past: true}, "read edits: a fault": {edits: true}, "read vectors: a fault": {vectors: true},
	} {
		in.storage = withCandidates(likes("tea", day1))
		r, err := Assemble(context.Background(), in, in, Options{Scratch: t.TempDir()})
		if r != nil || !errors.Is(err, errFault) || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want %s", err, want)
		}
	}
}
