package queue

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// increment adds one to a number.
func increment(old []byte) ([]byte, error) {
	n := 0
	if old != nil {
		var err error
		if n, err = strconv.Atoi(string(old)); err != nil {
			return nil, err
		}
	}
	return []byte(strconv.Itoa(n + 1)), nil
}

// incrementEntry counts in an entry that others write, too.
func incrementEntry(t *testing.T, q *Queue) {
	t.Helper()
	err := ErrContended
	for errors.Is(err, ErrContended) {
		err = q.MergeEntry(t.Context(), bucketNotes, "ann.1", increment)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestManyWritersOfOneEntryLoseNothing(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				incrementEntry(t, q)
			}
		})
	}
	wg.Wait()
	for e, err := range q.Entries(t.Context(), bucketNotes, "ann.*") {
		if err != nil || e.Key != "ann.1" || string(e.Value) != "80" {
			t.Errorf("%s=%s, %v", e.Key, e.Value, err)
		}
	}
}

func TestWriterThatLosesEveryRaceSaysSo(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	kv, err := q.js.KeyValue(t.Context(), bucketNotes)
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	err = q.MergeEntry(t.Context(), bucketNotes, "ann.1", func(old []byte) ([]byte, error) {
		tries++
		if _, err := kv.Put(t.Context(), "ann.1", []byte("7")); err != nil {
			t.Fatal(err)
		}
		return increment(old)
	})
	if !errors.Is(err, ErrContended) || tries != mergeTries {
		t.Errorf("%d tries: %v", tries, err)
	}
}

func TestEntryThatCannotBeMergedIsLeftAlone(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	bad := errors.New("no")
	if err := q.MergeEntry(t.Context(), bucketNotes, "ann.1", func([]byte) ([]byte, error) { return nil, bad }); !errors.Is(err, bad) {
		t.Errorf("got %v", err)
	}
	for e := range q.Entries(t.Context(), bucketNotes, ">") {
		t.Errorf("there is %s", e.Key)
	}
}

func TestEntriesAreSelectedByTheirKeys(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	for _, key := range []string{"ann.1", "ann.2", "bob.1"} {
		if err := q.MergeEntry(t.Context(), bucketNotes, key, increment); err != nil {
			t.Fatal(err)
		}
	}
	for filter, want := range map[string][]string{"ann.*": {"ann.1", "ann.2"}, "*.1": {"ann.1", "bob.1"}, "zoe.*": nil, ">": {"ann.1", "ann.2", "bob.1"}} {
		var got []string
		for e, err := range q.Entries(t.Context(), bucketNotes, filter) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Key)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", filter, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	for range q.Entries(ctx, bucketNotes, ">") {
		break // it stops early
	}
	cancel()
}
