package search

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/pamline/pamline/pamio"
)

var twoTalks = []talk{
	{title: "Baking", day: "2024-01-05", says: [][2]string{{"user", "A cake without walnuts"}, {"assistant", "Use almonds."}}},
	{title: "Holiday", platform: "claude", day: "2025-02-01", says: [][2]string{{"user", "Cake in Lisbon?"}, {"assistant", "Try a pastel."}, {"user", "Secretword cake"}}},
}

func TestOnlyChangedConversationsAreReadAgain(t *testing.T) {
	folder, path := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "cache", "me.db")
	write(t, folder, twoTalks, []remembered{{"Likes cake.", "preference", "active", "2025-01-01"}})
	if _, _, c := updated(t, path, folder); c.Read != 2 || c.Memories != 1 {
		t.Errorf("first: %+v", c)
	}
	if _, _, c := updated(t, path, folder); c.Read != 0 || c.Memories != 0 || c.Removed != 0 {
		t.Errorf("unchanged: %+v", c)
	}
	grown := slices.Clone(twoTalks)
	grown[0].says = append(slices.Clone(grown[0].says), [2]string{"user", "And cinnamon?"})
	write(t, folder, grown, []remembered{{"Likes cake.", "preference", "superseded", "2025-01-01"}})
	x, b, c := updated(t, path, folder)
	if c.Read != 1 || c.Memories != 1 || c.Removed != 0 {
		t.Errorf("grown: %+v", c)
	}
	if got := find(t, x, b, "cinnamon", Options{}); !slices.Equal(got, []string{"Baking/m2"}) {
		t.Errorf("new words: %q", got)
	}
	if got := find(t, x, b, "almonds", Options{}); !slices.Equal(got, []string{"Baking/m1"}) {
		t.Errorf("old words: %q", got)
	}
}

func TestWordsThatLeftTheStoreLeaveTheFile(t *testing.T) {
	folder, path := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "me.db")
	write(t, folder, twoTalks, []remembered{{"Whispername is a friend.", "fact", "active", "2025-01-01"}, {"Likes cake.", "preference", "active", "2025-01-01"}})
	x, b, _ := updated(t, path, folder)
	if got := find(t, x, b, "secretword", Options{}); len(got) != 1 {
		t.Fatalf("before: %q", got)
	}
	check(t, x.Close())
	less := slices.Clone(twoTalks)
	less[1].says = less[1].says[:2]
	for name, talks := range map[string][]talk{"a message": less, "a conversation": twoTalks[:1]} {
		write(t, folder, talks, []remembered{{"Likes cake.", "preference", "active", "2025-01-01"}})
		x, b, _ = updated(t, path, folder)
		if got := find(t, x, b, "secretword OR whispername", Options{}); len(got) > 0 {
			t.Errorf("%s: found %q", name, got)
		}
		if got := find(t, x, b, "almonds", Options{}); len(got) != 1 {
			t.Errorf("%s: the others are gone, too: %q", name, got)
		}
		check(t, x.Close())
		raw, err := os.ReadFile(path)
		check(t, err)
		for _, word := range []string{"secretword", "cretword", "Secretword", "whispername", "Whispername"} {
			if bytes.Contains(raw, []byte(word)) {
				t.Errorf("%s: the file still has %q", name, word)
			}
		}
		if left, _ := filepath.Glob(path + "-*"); len(left) > 0 {
			t.Errorf("%s: left behind %v", name, left)
		}
		write(t, folder, twoTalks, nil)
		x, _, _ = updated(t, path, folder)
		check(t, x.Close())
	}
}

func TestADamagedForeignOrOldIndexIsMadeAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "b")
	write(t, folder, twoTalks, nil)
	whole := filepath.Join(t.TempDir(), "whole.db")
	x, _, _ := updated(t, whole, folder)
	check(t, x.Close())
	good, err := os.ReadFile(whole)
	check(t, err)
	for name, text := range map[string][]byte{
		"empty": {}, "text": []byte("Dear Anna"), "cut off": good[:len(good)/2], "zeros inside": append(append(slices.Clone(good[:8192]), make([]byte, 16384)...), good[24576:]...),
	} {
		path := filepath.Join(t.TempDir(), "me.db")
		check(t, os.WriteFile(path, text, 0o600))
		x, b, _ := updated(t, path, folder)
		if got := find(t, x, b, "almonds", Options{}); !slices.Equal(got, []string{"Baking/m1"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	x, _, _ = updated(t, whole, folder)
	check(t, x.exec(t.Context(), `UPDATE meta SET value=0 WHERE key='layout'`))
	check(t, x.Close())
	if _, _, c := updated(t, whole, folder); c.Read != 2 {
		t.Errorf("an older layout: %+v", c)
	}
}

func TestAnIndexIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	folder, path := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "cache", "me.db")
	write(t, folder, twoTalks, nil)
	updated(t, path, folder)
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		check(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o", filepath.Base(name), got)
		}
	}
}

func TestAnInterruptedUpdateGoesOn(t *testing.T) {
	folder, path := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "me.db")
	write(t, folder, twoTalks, nil)
	b, err := pamio.OpenBundle(folder)
	check(t, err)
	defer b.Close()
	ctx, stop := context.WithCancel(t.Context())
	_, _, err = OpenCurrent(ctx, path, b, "", func(n int) {
		if n == 2 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	x, b2, _ := updated(t, path, folder)
	if got := find(t, x, b2, "cake", Options{In: []string{KindMessage}}); len(got) != 3 {
		t.Errorf("afterwards: %q", got)
	}
}

func TestAKnownDigestSavesReadingTheStore(t *testing.T) {
	folder, path := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "me.db")
	write(t, folder, twoTalks, nil)
	x, b, _ := updated(t, path, folder)
	digest, err := x.meta(t.Context(), "digest")
	check(t, err)
	if len(digest) != 64 {
		t.Fatalf("digest %q", digest)
	}
	check(t, os.Remove(filepath.Join(folder, pamio.StoreFile)))
	if _, err := x.Update(t.Context(), b, digest, nil); err != nil {
		t.Errorf("the same digest: %v", err)
	}
	if _, err := x.Update(t.Context(), b, "other", nil); err == nil {
		t.Error("another digest was not looked into")
	}
}

func TestAConversationWithoutItsFileHasATitle(t *testing.T) {
	folder, path := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "me.db")
	write(t, folder, twoTalks, nil)
	files, err := filepath.Glob(filepath.Join(folder, "conversations", nameOf("Holiday")+"*"))
	check(t, err)
	kept, err := os.ReadFile(files[0])
	check(t, err)
	check(t, os.Remove(files[0]))
	x, b, c := updated(t, path, folder)
	if c.Unreadable != 1 {
		t.Errorf("%+v", c)
	}
	if got := find(t, x, b, "holiday", Options{}); !slices.Equal(got, []string{"title: Holiday"}) {
		t.Errorf("%q", got)
	}
	check(t, x.Close())
	check(t, os.WriteFile(files[0], kept, 0o600))
	x, b, _ = updated(t, path, folder)
	if got := find(t, x, b, "pastel", Options{}); !slices.Equal(got, []string{"Holiday/m1"}) {
		t.Errorf("after it is back: %q", got)
	}
}

func TestAFileThatCannotBeMadeIsSaidToBeTheCache(t *testing.T) {
	folder, file := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "file")
	write(t, folder, twoTalks, nil)
	check(t, os.WriteFile(file, nil, 0o600))
	b, err := pamio.OpenBundle(folder)
	check(t, err)
	defer b.Close()
	if _, _, err := OpenCurrent(t.Context(), filepath.Join(file, "me.db"), b, "", nil); !errors.Is(err, ErrCache) {
		t.Errorf("%v", err)
	}
	x, _, err := OpenCurrent(t.Context(), "", b, "", nil)
	check(t, err)
	defer x.Close()
	if got := find(t, x, b, "almonds", Options{}); len(got) != 1 {
		t.Errorf("in memory: %q", got)
	}
}

func TestElementsOfTheSameIdAreKeptOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "b")
	twice := remembered{"Likes cake.", "preference", "active", "2025-01-01"}
	write(t, folder, append(slices.Clone(twoTalks), twoTalks[0]), []remembered{twice, twice})
	for range 2 {
		path := filepath.Join(t.TempDir(), "me.db")
		updated(t, path, folder)
		x, b, _ := updated(t, path, folder)
		if got := find(t, x, b, "almonds OR cake", Options{In: []string{KindMessage}}); len(got) != 4 {
			t.Errorf("messages: %q", got)
		}
		if got := find(t, x, b, "likes", Options{}); len(got) != 1 {
			t.Errorf("memories: %q", got)
		}
	}
}

func TestTwoProcessesUpdateAnIndexOneAfterTheOther(t *testing.T) {
	folder, path := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "me.db")
	write(t, folder, twoTalks, []remembered{{"Likes cake.", "preference", "active", "2025-01-01"}})
	type outcome struct {
		places []string
		err    error
	}
	results := make(chan outcome)
	for range 4 {
		go func() {
			var o outcome
			defer func() { results <- o }()
			b, err := pamio.OpenBundle(folder)
			if err != nil {
				o.err = err
				return
			}
			defer b.Close()
			x, _, err := OpenCurrent(context.Background(), path, b, "", nil)
			if err != nil {
				o.err = err
				return
			}
			defer x.Close()
			q, err := ParseQuery("cake")
			if err != nil {
				o.err = err
				return
			}
			r, err := x.Find(context.Background(), b, q, Options{})
			o.err = err
			for _, h := range r.Hits {
				o.places = append(o.places, h.Kind)
			}
		}()
	}
	for range 4 {
		if o := <-results; o.err != nil && !errors.Is(o.err, ErrCache) || o.err == nil && len(o.places) != 4 {
			t.Errorf("%q, %v", o.places, o.err)
		}
	}
}
