package state_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// serial lets one Put through at a time.
type serial struct {
	blob.Store
	turn chan struct{}
}

func (s *serial) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	return s.Store.Put(ctx, key, body, o)
}

const digest = "0123456789abcdef0123456789abcdef"

func TestKeysOfAGenerationAreParsed(t *testing.T) {
	for _, c := range []struct {
		root, key, drop, rest string
		gen                   int
	}{
		{state.OpenRoot, state.OpenKey("ann", digest, 12), digest, "", 12},
		{state.OpenRoot, state.OpenKey("ann", state.OwnerJob, 1), state.OwnerJob, "", 1},
		{state.FailedRoot, state.FailedKey("ann", digest, 3, "ingest"), digest, "ingest.json", 3},
		{state.BegunRoot, state.BegunKey("ann", digest, 3, "ingest", "a"), digest, "ingest/a", 3},
	} {
		owner, drop, gen, rest, ok := state.ParseGeneration(c.root, c.key)
		if !ok || owner != "ann" || drop != c.drop || gen != c.gen || rest != c.rest {
			t.Errorf("%s: %s %s %d %q %v", c.key, owner, drop, gen, rest, ok)
		}
	}
	for _, key := range []string{"work/open/ann/notes.txt", "work/open/ann", "work/open/Ann/" + digest + ".1", "work/open/ann/" + digest,
		"work/open/ann/" + digest + ".0", "work/open/ann/" + digest + ".01", "work/open/ann/" + digest + ".-1", "failed/ann/" + digest + ".1/x.json"} {
		if _, _, _, _, ok := state.ParseGeneration(state.OpenRoot, key); ok {
			t.Errorf("%s was parsed", key)
		}
	}
}

func TestResultsAreParsed(t *testing.T) {
	prefix := state.ResultPrefix("ann", digest)
	for key, gen := range map[string]int{state.CompleteKey("ann", digest, "ab"): 0, state.PartialKey("ann", digest, "ab", 7): 7} {
		if shard, got, ok := state.ParseResult(strings.TrimPrefix(key, prefix)); !ok || shard != "ab" || got != gen {
			t.Errorf("%s: %s %d %v", key, shard, got, ok)
		}
	}
	for _, name := range []string{"ab", "ab.x.zst", ".zst", "ab.0.zst", "ab.1.2.zst"} {
		if _, _, ok := state.ParseResult(name); ok {
			t.Errorf("%s was parsed", name)
		}
	}
}

func TestObjectsAreWrittenOnceOrSwapped(t *testing.T) {
	s, ctx := statetest.New(), t.Context()
	for i, want := range []bool{true, false} {
		if written, err := objects.PutOnceJSON(ctx, s, "once", map[string]int{"n": i}); err != nil || written != want {
			t.Errorf("put %d: %v, %v", i, written, err)
		}
	}
	var got map[string]int
	tag, err := objects.ReadJSON(ctx, s, "once", &got)
	if err != nil || got["n"] != 0 {
		t.Errorf("read %v, %v", got, err)
	}
	if err := objects.SwapJSON(ctx, s, "once", "", map[string]int{"n": 5}); !errors.Is(err, blob.ErrPrecondition) {
		t.Errorf("a swap of nothing: %v", err)
	}
	if err := objects.SwapJSON(ctx, s, "once", tag, map[string]int{"n": 6}); err != nil {
		t.Error(err)
	}
	if err := objects.SwapJSON(ctx, s, "once", tag, map[string]int{"n": 7}); !errors.Is(err, blob.ErrPrecondition) {
		t.Errorf("a late swap: %v", err)
	}
	if _, err := objects.ReadJSON(ctx, s, "none", &got); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("a missing object: %v", err)
	}
	var o struct{ A int }
	for _, body := range []string{"", "{", `{"B":1}`} {
		if _, err := s.Put(ctx, "bad", strings.NewReader(body), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if tag, err := objects.ReadJSON(ctx, s, "bad", &o); fault.Of(err) != fault.Permanent || tag == "" {
			t.Errorf("%q: tag %q, %v", body, tag, err)
		}
	}
}

func TestOwnersAndDigestsAreChecked(t *testing.T) {
	for _, owner := range []string{"", "Ann", "-a", "a/b", "a.b", strings.Repeat("a", 64)} {
		if state.CheckOwner(owner) == nil {
			t.Errorf("owner %q", owner)
		}
	}
	if err := errors.Join(state.CheckOwner("a"), state.CheckDigest("drop", digest)); err != nil {
		t.Error(err)
	}
	if state.CheckDigest("drop", digest[1:]) == nil || state.CheckDigest("drop", strings.ToUpper(digest)) == nil {
		t.Error("a digest that is none")
	}
}
