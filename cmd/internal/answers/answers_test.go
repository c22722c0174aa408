package answers

import (
	"context"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

func TestAnswersAreKept(t *testing.T) {
	ctx, key := context.Background(), strings.Repeat("0a", 32)
	folder := t.TempDir() + "/new"
	for _, where := range []string{"", folder} {
		a, err := Open(where)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok, err := a.Get(ctx, key); v != nil || ok || err != nil {
			t.Errorf("before: %q, %v, %v", v, ok, err)
		}
		for _, want := range []string{"one", "two"} {
			if err := a.Put(ctx, key, []byte(want)); err != nil {
				t.Fatal(err)
			}
			if v, ok, err := a.Get(ctx, key); string(v) != want || !ok || err != nil {
				t.Errorf("%q, %v, %v", v, ok, err)
			}
		}
		for _, bad := range []string{"", "../x", key + "/..", "batch-"} {
			if err := a.Put(ctx, bad, nil); err == nil {
				t.Errorf("%q was taken as a key", bad)
			}
		}
		if err := a.Spend(ctx, extract.Usage{Requests: 1, Input: 2}); err != nil {
			t.Fatal(err)
		}
		if u, err := a.Spent(ctx); err != nil || u.Input != 2 {
			t.Errorf("%+v, %v", u, err)
		}
	}
	again, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok, err := again.Get(ctx, key); string(v) != "two" || !ok || err != nil {
		t.Errorf("opened again: %q, %v, %v", v, ok, err)
	}
}
