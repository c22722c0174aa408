package blobtest

import (
	"bytes"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
)

func testBatch(t *testing.T, s blob.Store) {
	var items []blob.Item
	for i := range 60 {
		items = append(items, blob.Item{Key: fmt.Sprintf("batch/%d/%d", i%4, i), Body: noiseBytes(uint64(i), i*100)})
	}
	mustPut(t, s, items[7].Key, []byte("was there before"))
	if n, err := blob.PutAbsentAll(t.Context(), s, nil); n != 0 || err != nil {
		t.Errorf("an empty batch wrote %d, %v", n, err)
	}
	if n, err := blob.PutAbsentAll(t.Context(), s, items[:30]); n != 29 || err != nil {
		t.Fatalf("the first half wrote %d, %v", n, err)
	}
	if n, err := blob.PutAbsentAll(t.Context(), s, items); n != 30 || err != nil {
		t.Fatalf("the whole wrote %d, %v", n, err)
	}
	if n, err := blob.PutAbsentAll(t.Context(), s, items); n != 0 || err != nil {
		t.Fatalf("the whole again wrote %d, %v", n, err)
	}
	for i, it := range items {
		want := it.Body
		if i == 7 {
			want = []byte("was there before")
		}
		if got, _ := mustGet(t, s, it.Key, blob.Range{}); !bytes.Equal(got, want) {
			t.Errorf("%s holds %d bytes, want %d", it.Key, len(got), len(want))
		}
	}
	if n := len(listKeys(t, s, "batch/")); n != len(items) {
		t.Errorf("%d objects are listed, want %d", n, len(items))
	}
	testRacingBatches(t, s)
}

func testRacingBatches(t *testing.T, s blob.Store) {
	var items []blob.Item
	for i := range 25 {
		items = append(items, blob.Item{Key: fmt.Sprintf("raced/%d", i), Body: noiseBytes(uint64(i), 5000)})
	}
	// The same key twice in a batch is the same object.
	items = append(items, items[3])
	counts := make([]int, 4)
	g, ctx := errgroup.WithContext(t.Context())
	for w := range counts {
		g.Go(func() (err error) {
			counts[w], err = blob.PutAbsentAll(ctx, s, items)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	if total != 25 {
		t.Errorf("four racing batches of 25 objects wrote %v", counts)
	}
}
