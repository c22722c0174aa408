package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
)

func testBothConditions(t *testing.T, s blob.Store) {
	_, err := s.Put(t.Context(), "o", textReader("x"), blob.PutOptions{IfAbsent: true, IfMatch: "y"})
	if err == nil {
		t.Error("both conditions were accepted")
	}
	wantKeys(t, s, "")
}

func testIfAbsent(t *testing.T, s blob.Store) {
	first, err := s.Put(t.Context(), "a/b/c", textReader("first"), blob.PutOptions{IfAbsent: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"second", "first"} {
		_, err = s.Put(t.Context(), "a/b/c", textReader(data), blob.PutOptions{IfAbsent: true})
		wantErr(t, "again with "+data, err, blob.ErrPrecondition)
	}
	if got, obj := mustGet(t, s, "a/b/c", blob.Range{}); string(got) != "first" || obj.ETag != first.ETag {
		t.Errorf("the object is %q, %+v", got, obj)
	}
	if err := s.Delete(t.Context(), "a/b/c"); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Put(t.Context(), "a/b/c", textReader("third"), blob.PutOptions{IfAbsent: true}); err != nil {
		t.Errorf("after delete: %v", err)
	}
}

func testIfMatch(t *testing.T, s blob.Store) {
	first := mustPut(t, s, "head", []byte("1"))
	second, err := s.Put(t.Context(), "head", textReader("2"), blob.PutOptions{IfMatch: first.ETag})
	if err != nil {
		t.Fatal(err)
	}
	if head, err := s.Head(t.Context(), "head"); err != nil || head.ETag != second.ETag {
		t.Errorf("put gave tag %s, head %s, %v", second.ETag, head.ETag, err)
	}
	_, err = s.Put(t.Context(), "head", textReader("3"), blob.PutOptions{IfMatch: first.ETag})
	wantErr(t, "with the old tag", err, blob.ErrPrecondition)
	_, err = s.Put(t.Context(), "other", textReader("3"), blob.PutOptions{IfMatch: first.ETag})
	wantErr(t, "on a missing object", err, blob.ErrPrecondition)
	if got, _ := mustGet(t, s, "head", blob.Range{}); string(got) != "2" {
		t.Errorf("the object is %q", got)
	}
	wantKeys(t, s, "", "head")
}

// race runs n writers at once and gives the number of the one that won.
func race(t *testing.T, n int, write func(ctx context.Context, i int) error) int {
	t.Helper()
	var winner, wins atomic.Int64
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			switch err := write(t.Context(), i); {
			case err == nil:
				winner.Store(int64(i))
				wins.Add(1)
			case !errors.Is(err, blob.ErrPrecondition):
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	close(start)
	wg.Wait()
	if wins.Load() != 1 {
		t.Fatalf("%d of %d writers won", wins.Load(), n)
	}
	return int(winner.Load())
}

func testRacingIfAbsent(t *testing.T, s blob.Store) {
	for _, bodies := range []string{"different", "equal"} {
		key := "race/" + bodies
		body := func(i int) string {
			if bodies == "equal" {
				return "the same of all"
			}
			return fmt.Sprintf("writer %d", i)
		}
		won := race(t, 64, func(ctx context.Context, i int) error {
			_, err := s.Put(ctx, key, textReader(body(i)), blob.PutOptions{IfAbsent: true})
			return err
		})
		if got, _ := mustGet(t, s, key, blob.Range{}); string(got) != body(won) {
			t.Errorf("writer %d won, the object is %q", won, got)
		}
	}
}

func testRacingLongIfAbsent(t *testing.T, s blob.Store) {
	data := noiseBytes(5, 6<<20)
	won := race(t, 4, func(ctx context.Context, i int) error {
		_, err := s.Put(ctx, "long", streamOf(data[i:]), blob.PutOptions{IfAbsent: true})
		return err
	})
	if got, _ := mustGet(t, s, "long", blob.Range{}); !bytes.Equal(got, data[won:]) {
		t.Errorf("writer %d won, the object is another", won)
	}
}

func testRacingIfMatch(t *testing.T, s blob.Store) {
	const writers, rounds = 8, 12
	mustPut(t, s, "counter", []byte("0"))
	g, ctx := errgroup.WithContext(t.Context())
	for range writers {
		g.Go(func() error {
			for range rounds {
				if err := increment(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, _ := mustGet(t, s, "counter", blob.Range{}); string(got) != strconv.Itoa(writers*rounds) {
		t.Errorf("%d increments made %s", writers*rounds, got)
	}
}

func increment(ctx context.Context, s blob.Store) error {
	for {
		data, obj, err := readObject(ctx, s, "counter", blob.Range{})
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(data))
		if err != nil {
			return fmt.Errorf("read counter: %w", err)
		}
		_, err = s.Put(ctx, "counter", textReader(strconv.Itoa(n+1)), blob.PutOptions{IfMatch: obj.ETag})
		if !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}

func testNoPartialReads(t *testing.T, s blob.Store) {
	const writes, readers = 40, 3
	body := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 1000+i*997) }
	mustPut(t, s, "o", body(0))
	done := make(chan struct{})
	g, ctx := errgroup.WithContext(t.Context())
	g.Go(func() error {
		defer close(done)
		for i := range writes {
			if _, err := s.Put(ctx, "o", streamOf(body(i)), blob.PutOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
	for range readers {
		g.Go(func() error {
			for {
				data, obj, err := readObject(ctx, s, "o", blob.Range{})
				if err != nil {
					return err
				}
				if int64(len(data)) != obj.Size || !bytes.Equal(data, bytes.Repeat(data[:1], len(data))) {
					return fmt.Errorf("read %d bytes of an object of %d, or a mixture", len(data), obj.Size)
				}
				select {
				case <-done:
					return nil
				default:
				}
			}
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

func testDeleteRace(t *testing.T, s blob.Store) {
	// Neighbours come and go in one folder, which is therefore emptied and filled all the time.
	const workers, rounds = 6, 15
	g, ctx := errgroup.WithContext(t.Context())
	for w := range workers {
		g.Go(func() error {
			key := fmt.Sprintf("deep/er/folder/%d", w)
			for i := range rounds {
				want := fmt.Sprintf("%d/%d", w, i)
				if _, err := s.Put(ctx, key, textReader(want), blob.PutOptions{IfAbsent: true}); err != nil {
					return err
				}
				if got, _, err := readObject(ctx, s, key, blob.Range{}); err != nil || string(got) != want {
					return fmt.Errorf("read back %q, want %q: %w", got, want, err)
				}
				if err := s.Delete(ctx, key); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	wantKeys(t, s, "")
}
