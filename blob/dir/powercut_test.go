//go:build unix

package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
)

// script does a bit of everything with a store and keeps book of what each key may hold after a
// power cut: one content when the last call about it returned, two while it runs. "" stands for
// absent.
type script struct {
	s    *Store
	may  map[string][]string
	tags map[string]string
}

// step runs one call that changes keys to contents.
func (b *script) step(change map[string]string, call func() error) error {
	for key, content := range change {
		if len(b.may[key]) == 0 {
			b.may[key] = []string{""}
		}
		b.may[key] = append(b.may[key], content)
	}
	if err := call(); err != nil {
		return err
	}
	for key, content := range change {
		b.may[key] = []string{content}
	}
	return nil
}

func (b *script) put(key, content string, o blob.PutOptions) error {
	return b.step(map[string]string{key: content}, func() error {
		obj, err := b.s.Put(context.Background(), key, strings.NewReader(content), o)
		b.tags[key] = obj.ETag
		return err
	})
}

func (b *script) batch(change map[string]string, more ...string) error {
	var items []blob.Item
	for key, content := range change {
		items = append(items, blob.Item{Key: key, Body: []byte(content)})
	}
	for _, key := range more {
		items = append(items, blob.Item{Key: key, Body: []byte("not written, the key is taken")})
	}
	slices.SortFunc(items, func(a, b blob.Item) int { return strings.Compare(a.Key, b.Key) })
	return b.step(change, func() error {
		_, err := b.s.PutAbsent(context.Background(), items)
		return err
	})
}

func (b *script) delete(key string) error {
	return b.step(map[string]string{key: ""}, func() error { return b.s.Delete(context.Background(), key) })
}

func (b *script) run() error {
	long := func(s string) string { return strings.Repeat(s, 2500) }
	for _, call := range []func() error{
		func() error { return b.put("a/b/1", long("one"), blob.PutOptions{}) },
		func() error { return b.put("a/b/2", "two", blob.PutOptions{IfAbsent: true}) },
		func() error { return b.put("head", "h1", blob.PutOptions{IfAbsent: true}) },
		func() error {
			return b.batch(map[string]string{"c/1": "c1", "c/2": long("c2"), "d/e/3": "e3"}, "a/b/1")
		},
		func() error { return b.put("head", "h2", blob.PutOptions{IfMatch: b.tags["head"]}) },
		func() error { return b.delete("a/b/1") },
		func() error { return b.put("head", "h3", blob.PutOptions{IfMatch: b.tags["head"]}) },
		func() error { return b.delete("c/1") },
		func() error { return b.delete("c/2") }, // the folder goes
		func() error { return b.put("c/4", "c4", blob.PutOptions{IfAbsent: true}) },
		func() error { return b.put("d/e/3", long("new"), blob.PutOptions{}) },
		func() error { return b.delete("c/4") },
		func() error { return b.batch(map[string]string{"c/1": "again", "c/x/y/z": "deep"}) },
	} {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// runUntil plays the script on a file system that loses its power before operation cut.
func runUntil(f *powerFS, together int) (*script, error) {
	s, err := open(f)
	if err != nil {
		return &script{may: map[string][]string{}}, err
	}
	s.together = together
	s.parallel = 1 // so that each run does the same operations in the same order
	b := &script{s: s, may: make(map[string][]string), tags: make(map[string]string)}
	return b, b.run()
}

// verify opens what a restart found and compares it with the book.
func (b *script) verify(f *powerFS) error {
	s, err := open(f)
	if err != nil {
		return fmt.Errorf("open again: %w", err)
	}
	defer s.Close()
	ctx := context.Background()
	for key, may := range b.may {
		content, err := contentOf(ctx, s, key)
		if err != nil {
			return err
		}
		if !slices.Contains(may, content) {
			return fmt.Errorf("%s holds %.20q, may hold %.20q", key, content, may)
		}
	}
	for obj, err := range s.List(ctx, "") {
		if err != nil {
			return err
		}
		if _, known := b.may[obj.Key]; !known {
			return fmt.Errorf("%s came from nowhere", obj.Key)
		}
	}
	if left, err := f.ReadDir(s.slot); err != nil || len(left) > 0 {
		return fmt.Errorf("scratch files %v are left, %v", left, err)
	}
	// And it goes on working.
	if _, err := s.PutAbsent(ctx, []blob.Item{{Key: "c/after", Body: []byte("x")}}); err != nil {
		return fmt.Errorf("write after the restart: %w", err)
	}
	content, err := contentOf(ctx, s, "c/after")
	if err != nil || content != "x" {
		return fmt.Errorf("read after the restart: %q, %w", content, err)
	}
	return nil
}

func contentOf(ctx context.Context, s *Store, key string) (string, error) {
	body, _, err := s.Get(ctx, key, blob.Range{})
	if errors.Is(err, blob.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	_, err = io.Copy(&b, body)
	return b.String(), errors.Join(err, body.Close())
}

// Batches are synced file by file, and all files together.
var syncings = map[string]int{"each": math.MaxInt, "together": 1}

func TestPowerCutAtAnyOperationKeepsWhatWasAcknowledged(t *testing.T) {
	for name, together := range syncings {
		t.Run(name, func(t *testing.T) { cutEverywhere(t, together) })
	}
}

func cutEverywhere(t *testing.T, together int) {
	whole := newPowerFS(-1)
	if _, err := runUntil(whole, together); err != nil {
		t.Fatal(err)
	}
	if whole.ops < 100 {
		t.Fatalf("the script has only %d operations", whole.ops)
	}
	for cut := range whole.ops + 1 {
		f := newPowerFS(cut)
		b, err := runUntil(f, together)
		if cut < whole.ops && !errors.Is(err, errPower) {
			t.Fatalf("cut %d: the script ended with %v", cut, err)
		}
		for _, d := range damages(uint64(cut)) {
			if err := b.verify(f.crash(d)); err != nil {
				t.Errorf("power cut before operation %d of %d, %s: %v", cut, whole.ops, d.name, err)
			}
		}
	}
}

// The test above must be able to fail: a store that forgot a kind of sync is caught.
func TestPowerCutTestCatchesMissingSyncs(t *testing.T) {
	for name, c := range map[string]struct {
		lie      func(*powerFS)
		together int
	}{
		"files":   {func(f *powerFS) { f.lieSync = true }, math.MaxInt},
		"folders": {func(f *powerFS) { f.lieSyncDir = true }, 1},
		"batches": {func(f *powerFS) { f.lieSyncData = true }, 1},
	} {
		f := newPowerFS(-1)
		c.lie(f)
		b, err := runUntil(f, c.together)
		if err != nil {
			t.Fatal(err)
		}
		caught := false
		for _, d := range damages(1) {
			caught = caught || b.verify(f.crash(d)) != nil
		}
		if !caught {
			t.Errorf("syncing %s did nothing, and nobody noticed", name)
		}
	}
}
