package state_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

func putRaw(t *testing.T, s *statetest.Store, key string, body []byte) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(string(body)), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func resultLines(t *testing.T, s *statetest.Store, key string) (lines []string, err error) {
	t.Helper()
	r := state.Result{Key: key, Shard: "s"}
	for line, err := range r.Lines(t.Context(), s) {
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
	return lines, nil
}

func TestAResultIsAHeaderAndItsCandidates(t *testing.T) {
	s := statetest.New()
	want := state.ResultHeader{V: 1, Shard: "s", Candidates: 2, Counts: map[string]int{"vague": 3}, Unanswered: map[string]int{"budget": 1},
		Trouble: "the budget is spent", Hint: "raise it", Usage: extract.Usage{Requests: 4}, Rejects: digest, Vectors: digest}
	written, err := state.PutResult(t.Context(), s, "r", want, []byte("{\"a\":1}\n{\"b\":\"<&>\"}\n"))
	if err != nil || !written {
		t.Fatal(written, err)
	}
	got, err := state.ReadResultHeader(t.Context(), s, "r")
	if err != nil || got.Shard != "s" || got.Candidates != 2 || !maps.Equal(got.Counts, want.Counts) || !maps.Equal(got.Unanswered, want.Unanswered) ||
		got.Trouble != want.Trouble || got.Hint != want.Hint || got.Usage != want.Usage || got.Rejects != digest || got.Vectors != digest || got.IsComplete() {
		t.Errorf("%+v, %v", got, err)
	}
	if lines, err := resultLines(t, s, "r"); err != nil || !slices.Equal(lines, []string{"{\"a\":1}\n", "{\"b\":\"<&>\"}\n"}) {
		t.Errorf("%q, %v", lines, err)
	}
	if written, err = state.PutResult(t.Context(), s, "r", state.ResultHeader{V: 1}, nil); err != nil || written {
		t.Errorf("a second result: %v, %v", written, err)
	}
	if !(state.ResultHeader{}).IsComplete() {
		t.Error("a result without unanswered questions is partial")
	}
}

func TestAResultThatIsMissingOrDamagedIsPermanent(t *testing.T) {
	s := statetest.New()
	good := objects.CompressLines([]byte("{\"v\":1,\"shard\":\"s\"}\n{}\n"))
	for name, body := range map[string][]byte{
		"no lines":           objects.CompressLines(nil),
		"another version":    objects.CompressLines([]byte("{\"v\":2}\n")),
		"no header":          objects.CompressLines([]byte("hens\n")),
		"not compressed":     []byte("hens"),
		"truncated":          good[:len(good)-3],
		"without a line end": objects.CompressLines([]byte("{\"v\":1}\n{")),
	} {
		putRaw(t, s, name, body)
		if _, err := resultLines(t, s, name); fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := resultLines(t, s, "none"); fault.Of(err) != fault.Permanent || !objects.IsMissing(err) {
		t.Errorf("a missing result: %v", err)
	}
	if _, err := state.ReadResultHeader(t.Context(), s, "none"); !errors.Is(err, blob.ErrNotExist) || fault.Of(err) == fault.Permanent {
		t.Errorf("the header of a missing result: %v", err)
	}
}

func TestSideObjectsAreNamedByTheirDigest(t *testing.T) {
	s := statetest.New()
	key := func(d string) string { return state.RejectsKey("ann", digest, d) }
	for range 2 {
		d, err := state.PutLines(t.Context(), s, key, []byte("{}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if body, ok := s.Body(key(d)); !ok || objects.Digest(body) != d {
			t.Errorf("%q is not under %s", body, d)
		}
	}
	if d, err := state.PutLines(t.Context(), s, key, nil); err != nil || d != "" || len(s.Keys("")) != 1 {
		t.Errorf("no lines are %q, %v", d, err)
	}
}

func TestAnInputSetNamesTheResultOfAShard(t *testing.T) {
	m := state.Manifest{Owner: "ann", Import: digest, Drop: drop(1)}
	shard := state.Shard{ID: "s", Snapshots: 1}
	in := state.NewInputs()
	in.Accept(m.Drop, 1, m.Import, map[string]int{"none": 0, "partial": 4})
	for id, want := range map[string]string{"s": state.CompleteKey("ann", digest, "s"), "none": "", "partial": state.PartialKey("ann", digest, "partial", 4)} {
		shard.ID = id
		got := in.ResultOf(m, shard)
		if (got == nil) != (want == "") || got != nil && got.Key != want {
			t.Errorf("%s: %+v, want %q", id, got, want)
		}
	}
	if got := in.ResultOf(m, state.Shard{ID: "empty"}); got != nil {
		t.Errorf("an empty shard has %+v", got)
	}
}
