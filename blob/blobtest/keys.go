package blobtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
)

var oddKeys = []string{
	"a b", " leading", "trailing ", "plus+plus", "per%cent", "per%20cent", "quest?ion", "hash#", "amp&ersand", "semi;colon",
	"equals=", "at@", "colon:", "comma,", "quote'", `double"quote`, "less<than>", "star*", "pipe|", "tilde~", "dollar$",
	"bracket[1]", "brace{2}", "caret^", "grave`", "dash-", "under_score", "...", "..dots", ".hidden", "dot.", "x/.pamline",
	"ümlaut", "emoji-🧠", "日本語/漢字", "עברית", "combining-e\u0301", "zero\u200bwidth", "a/very/deep/" + strings.Repeat("x/", 40) + "y",
	strings.Repeat("n", blob.MaxSegment),
}

func testOddKeys(t *testing.T, s blob.Store) {
	for _, key := range oddKeys {
		mustPut(t, s, key, []byte("content of "+key))
	}
	for _, key := range oddKeys {
		got, obj := mustGet(t, s, key, blob.Range{})
		if string(got) != "content of "+key || obj.Key != key {
			t.Errorf("key %q gave %q as %q", key, got, obj.Key)
		}
	}
	want := slices.Clone(oddKeys)
	slices.Sort(want)
	wantKeys(t, s, "", want...)
	for _, key := range oddKeys {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Errorf("delete %q: %v", key, err)
		}
	}
	wantKeys(t, s, "")
}

func testInvalidKeys(t *testing.T, s blob.Store) {
	for _, key := range []string{"", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "../a", `a\b`, "a\x00b", "a\nb", "\xff", ".pamline/x"} {
		_, err := s.Put(t.Context(), key, textReader("x"), blob.PutOptions{})
		wantErr(t, fmt.Sprintf("put %q", key), err, blob.ErrKey)
		_, _, err = s.Get(t.Context(), key, blob.Range{})
		wantErr(t, fmt.Sprintf("get %q", key), err, blob.ErrKey)
		_, err = s.Head(t.Context(), key)
		wantErr(t, fmt.Sprintf("head %q", key), err, blob.ErrKey)
		wantErr(t, fmt.Sprintf("delete %q", key), s.Delete(t.Context(), key), blob.ErrKey)
		_, err = blob.PutAbsentAll(t.Context(), s, []blob.Item{{Key: "fine", Body: nil}, {Key: key}})
		wantErr(t, fmt.Sprintf("batch with %q", key), err, blob.ErrKey)
	}
	for _, prefix := range []string{"/", "a//", "../", ".pamline/", "a\\"} {
		var err error
		for _, e := range s.List(t.Context(), prefix) {
			err = errors.Join(err, e)
		}
		wantErr(t, fmt.Sprintf("list %q", prefix), err, blob.ErrKey)
	}
	wantKeys(t, s, "")
}

func testListOrder(t *testing.T, s blob.Store) {
	// A slash sorts between other bytes: walking folders by name would give another order.
	all := []string{
		"a/b", "a/b-c", "a/b.c", "a/b0", "a-b/x", "a.b/x", "a.b/y/z", "a0", "aa/1", "ab", "B", "z/1", "z/10", "z/2", "ä", "a!b",
		"n/x!/1", "n/x/1", "n/x0/1",
	}
	for i, key := range all {
		mustPut(t, s, key, noiseBytes(uint64(i), i))
	}
	want := slices.Clone(all)
	slices.Sort(want)
	wantKeys(t, s, "", want...)
	for obj, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		head, err := s.Head(t.Context(), obj.Key)
		if err != nil || head.ETag != obj.ETag || head.Size != obj.Size || obj.Size != int64(slices.Index(all, obj.Key)) {
			t.Errorf("list says %+v, head %+v, %v", obj, head, err)
		}
	}
}

func testListPrefix(t *testing.T, s blob.Store) {
	for _, key := range []string{"o/a/1", "o/a/2", "o/ab/1", "o/b", "o/b.x", "p/1"} {
		mustPut(t, s, key, nil)
	}
	for prefix, want := range map[string][]string{
		"":        {"o/a/1", "o/a/2", "o/ab/1", "o/b", "o/b.x", "p/1"},
		"o":       {"o/a/1", "o/a/2", "o/ab/1", "o/b", "o/b.x"},
		"o/":      {"o/a/1", "o/a/2", "o/ab/1", "o/b", "o/b.x"},
		"o/a":     {"o/a/1", "o/a/2", "o/ab/1"},
		"o/a/":    {"o/a/1", "o/a/2"},
		"o/b":     {"o/b", "o/b.x"},
		"o/b/":    nil,
		"o/a/1":   {"o/a/1"},
		"p/1/2":   nil,
		"q":       nil,
		"q/r/s":   nil,
		"o/a/1/x": nil,
	} {
		wantKeys(t, s, prefix, want...)
	}
}

func testListFolders(t *testing.T, s blob.Store) {
	for _, key := range []string{"o/a/1", "o/a/2/3", "o/a.b/1", "o/ä b+c%41/1", "o/b", "o.x/1", "p/1"} {
		mustPut(t, s, key, nil)
	}
	for prefix, want := range map[string][]string{
		"": {"o.x", "o", "p"}, "o/": {"a.b", "a", "ä b+c%41"}, "o/a/": {"2"}, "o/a/2/": nil, "o/b/": nil, "q/": nil,
	} {
		var got []string
		for name, err := range blob.ListFolders(t.Context(), s, prefix) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("folders below %q: %q, want %q", prefix, got, want)
		}
	}
	for range blob.ListFolders(t.Context(), s, "o/") {
		break
	}
	for _, err := range blob.ListFolders(t.Context(), s, "../") {
		if err == nil {
			t.Error("an invalid prefix is listed")
		}
	}
}

func testListEarly(t *testing.T, s blob.Store) {
	for i := range 20 {
		mustPut(t, s, fmt.Sprintf("d%d/o%02d", i%3, i), nil)
	}
	n := 0
	for _, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 5 {
			break
		}
	}
	if n != 5 {
		t.Errorf("got %d objects", n)
	}
}
