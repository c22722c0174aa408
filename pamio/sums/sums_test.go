package sums_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/pamio/sums"
)

// bundle gives a small bundle with its list.
func bundle(t *testing.T) fstest.MapFS {
	t.Helper()
	b := fstest.MapFS{"memory-store.json": {Data: []byte("{}")}, "conversations/a.json": {Data: []byte("[1]")}, "assets/é.txt": {Data: []byte("words")}}
	l := sums.NewList(t.TempDir())
	defer l.Close()
	for name := range b {
		digest, _, err := sums.DigestOf(b, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Add(name, digest); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := l.Write(&out); err != nil {
		t.Fatal(err)
	}
	b[sums.File] = &fstest.MapFile{Data: out.Bytes()}
	return b
}

func problems(t *testing.T, b fstest.MapFS) (all []string) {
	t.Helper()
	_, err := sums.Check(t.Context(), b, t.TempDir(), func(p sums.Problem) error {
		if p.String() == "" {
			t.Errorf("%+v", p)
		}
		all = append(all, string(p.Kind)+" "+p.File)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestABundleIsComparedWithItsList(t *testing.T) {
	for what, tc := range map[string]struct {
		change func(b fstest.MapFS)
		want   []string
	}{
		"nothing":         {func(fstest.MapFS) {}, nil},
		"no list":         {func(b fstest.MapFS) { delete(b, sums.File); delete(b, "memory-store.json") }, nil},
		"a changed file":  {func(b fstest.MapFS) { b["assets/é.txt"].Data = []byte("word") }, []string{"differs assets/é.txt"}},
		"a removed file":  {func(b fstest.MapFS) { delete(b, "conversations/a.json") }, []string{"missing conversations/a.json"}},
		"another file":    {func(b fstest.MapFS) { b["x"] = &fstest.MapFile{} }, []string{"extra x"}},
		"a signature":     {func(b fstest.MapFS) { b[sums.SignatureFile] = &fstest.MapFile{} }, nil},
		"an emptied list": {func(b fstest.MapFS) { b[sums.File].Data = nil }, []string{"extra assets/é.txt", "extra conversations/a.json", "extra memory-store.json"}},
		"a list without a line": {func(b fstest.MapFS) {
			_, rest, _ := bytes.Cut(b[sums.File].Data, []byte("\n"))
			b[sums.File].Data = rest
		}, []string{"extra assets/é.txt"}},
	} {
		t.Run(what, func(t *testing.T) {
			b := bundle(t)
			tc.change(b)
			if got := problems(t, b); !slices.Equal(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestEachFlippedBitOfAListIsNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	whole := bundle(t)
	for at := range whole[sums.File].Data {
		for bit := range 8 {
			b := maps.Clone(whole)
			data := bytes.Clone(whole[sums.File].Data)
			data[at] ^= 1 << bit
			b[sums.File] = &fstest.MapFile{Data: data}
			if len(problems(t, b)) == 0 {
				t.Errorf("bit %d of byte %d (%q)", bit, at, whole[sums.File].Data[at])
			}
		}
	}
}

func TestAListOfAnotherFormIsMalformed(t *testing.T) {
	digest := strings.Repeat("a", 64)
	for _, text := range []string{"x", digest, digest + " a\n", digest + "  a", digest + "  ../a\n", digest + "  b\n" + digest + "  a\n", digest + "  a\n" + digest + "  a\n",
		strings.ToUpper(digest) + "  a\n", digest + "  SHA256SUMS\n", digest + "  " + strings.Repeat("n", 5000) + "\n"} {
		if got := problems(t, fstest.MapFS{sums.File: {Data: []byte(text)}}); len(got) == 0 || !strings.HasPrefix(got[0], "malformed") {
			t.Errorf("%.90q: %q", text, got)
		}
	}
	if err := sums.NewList("").Add("a\nb", digest); err == nil {
		t.Error("a line feed in a name")
	}
}
