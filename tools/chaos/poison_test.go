package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
)

func object(t *testing.T, s blob.Store, key string) string {
	t.Helper()
	rc, _, err := s.Get(t.Context(), key, blob.Range{})
	if errors.Is(err, blob.ErrNotExist) {
		return "gone"
	}
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	body, err := io.ReadAll(rc)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestPoisonTakesWhatIsMeantAndGivesItBack(t *testing.T) {
	const list, pack = "owners/ana/imports/i/snapshots/000000.jsonl", "owners/ana/imports/i/snapshots/000000.s2"
	for name, c := range map[string]struct {
		lose             bool
		listNow, packNow string
	}{
		"lists vanish":      {true, "gone", "body"},
		"packs are damaged": {false, "body", strings.Repeat("\xff", len("body"))},
	} {
		s, err := dir.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var p poison
		write := func(key string) {
			t.Helper()
			if _, err := s.Put(t.Context(), key, bytes.NewReader([]byte("body")), blob.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			p.reach(s, key)
		}
		write(list)
		write(pack)
		p.lay("ana", 1, c.lose)
		for range 2 { // written again, it is taken again
			for _, key := range []string{list, pack, strings.Replace(list, "ana", "ana-2", 1), strings.Replace(pack, "000000", "000001", 1)} {
				write(key)
			}
			if l, k := object(t, s, list), object(t, s, pack); l != c.listNow || k != c.packNow {
				t.Errorf("%s: list %q, pack %q", name, l, k)
			}
		}
		if other := object(t, s, strings.Replace(pack, "000000", "000001", 1)); other != "body" {
			t.Errorf("%s: more than one object is taken: %q", name, other)
		}
		if n, err := p.lift(context.Background(), s); n != 1 || err != nil {
			t.Errorf("%s: %d restored, %v", name, n, err)
		}
		write(list)
		if l, k := object(t, s, list), object(t, s, pack); l != "body" || k != "body" {
			t.Errorf("%s: afterwards list %q, pack %q", name, l, k)
		}
	}
}
