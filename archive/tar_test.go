package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

type tarFile struct {
	name, content string
	kind          byte
	pax           map[string]string
}

func tarOf(t testing.TB, files ...tarFile) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Size: int64(len(f.content)), Typeflag: f.kind, Mode: 0o600, PAXRecords: f.pax}
		if f.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if f.kind == tar.TypeSymlink || f.kind == tar.TypeLink {
			h.Size, h.Linkname = 0, f.content
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := io.WriteString(w, f.content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t testing.TB, data []byte, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = name
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTarAndItsCompressedFormGiveTheSameMembers(t *testing.T) {
	long := strings.Repeat("folder/", 40) + "x.json"
	inner := ordinary(t, "conversations.json", "[]")
	data := tarOf(t,
		tarFile{name: "Takeout/", kind: tar.TypeDir}, tarFile{name: "Takeout/a.json", content: noise(2000)}, tarFile{name: "Takeout/empty"},
		tarFile{name: long, content: "long"}, tarFile{name: "./._DS", content: "x"}, tarFile{name: "Takeout/.DS_Store", content: "junk"},
		tarFile{name: "link", content: "/etc/passwd", kind: tar.TypeSymlink}, tarFile{name: "hard", content: "Takeout/a.json", kind: tar.TypeLink},
		tarFile{name: "../../etc/passwd", content: "root"}, tarFile{name: "/abs", content: "root"},
		tarFile{name: "inner.zip", content: string(inner)}, tarFile{name: "Takeout/a.json", content: "again"},
	)
	want := []string{"Takeout/a.json=" + noise(2000), "Takeout/empty=", long + "=long", "._DS=x", "inner.zip/conversations.json=[]", "Takeout/a.json=again"}
	for kind, data := range map[string][]byte{"tar": data, "tar.gz": gzipped(t, data, "")} {
		t.Run(kind, func(t *testing.T) {
			a := mustOpen(t, data, Limits{})
			if got := listing(t, a); !slices.Equal(got, want) {
				t.Errorf("members are %.400q", got)
			}
			if a.Kind != kind || a.Truncated != nil {
				t.Errorf("kind %q, truncated %v", a.Kind, a.Truncated)
			}
			if got := fmt.Sprint(a.LeftOut); got != "map[directory:1 junk:1 link:2]" {
				t.Errorf("left out: %s", got)
			}
			if got, want := refusals(a), []string{"../../etc/passwd!bad-name", "/abs!bad-name"}; !slices.Equal(got, want) {
				t.Errorf("refused: %q", got)
			}
		})
	}
}

func TestTruncatedTarIsReadAsFarAsItGoes(t *testing.T) {
	text := noise(50_000)
	data := tarOf(t, tarFile{name: "a", content: "first"}, tarFile{name: "b", content: text}, tarFile{name: "c", content: "last"})
	zipped := gzipped(t, data, "")
	for kind, data := range map[string][]byte{"tar": data[:40_000], "tar.gz": zipped[:len(zipped)*3/4]} {
		t.Run(kind, func(t *testing.T) {
			a := mustOpen(t, data, Limits{})
			if len(a.Members) != 2 || a.Truncated == nil || a.Truncated.Code != CodeTruncated {
				t.Fatalf("%d members, truncated %v", len(a.Members), a.Truncated)
			}
			if got, err := read(a.Members[0]); err != nil || got != "first" {
				t.Errorf("first member is %q, %v", got, err)
			}
			got, err := read(a.Members[1])
			if codeOf(t, err) != CodeTruncated || len(got) < 20_000 || !strings.HasPrefix(text, got) {
				t.Errorf("%d bytes, then %v", len(got), err)
			}
		})
	}
}

func TestTarLimits(t *testing.T) {
	data := gzipped(t, tarOf(t, tarFile{name: "a", content: noise(3000)}, tarFile{name: "b", content: "b"}, tarFile{name: "s", content: "x", pax: map[string]string{"GNU.sparse.x": "1"}}), "")
	if got, want := listing(t, mustOpen(t, data, Limits{MaxMemberSize: 1000})), []string{"a!too-large", "b=b"}; !slices.Equal(got[:2], want) {
		t.Errorf("members are %.100q", got)
	}
	if a := mustOpen(t, data, Limits{MaxMemberSize: 1000, MaxScratch: 2000}); len(a.Members) != 3 {
		t.Error("a member that is refused took scratch space")
	}
	for want, limits := range map[Code]Limits{CodeTooMany: {MaxMembers: 1}, CodeTooLarge: {MaxScratch: 1000}} {
		_, err := openBytes(t, data, limits)
		if got := codeOf(t, err); got != want {
			t.Errorf("code is %s, expected %s", got, want)
		}
	}
}

func TestCompressedTarBombEndsAtTheRatio(t *testing.T) {
	r := &ratioReader{r: endless{}, compressed: RatioFloor / 500, limits: Limits{MaxRatio: 600}.withDefaults()}
	n, err := io.Copy(io.Discard, r)
	if codeOf(t, err) != CodeRatio || n > RatioFloor*2 {
		t.Errorf("stopped after %d bytes with %v", n, err)
	}
}

func TestGzippedFileIsOneMember(t *testing.T) {
	for _, c := range []struct{ label, inside, want string }{
		{"conversations.json.gz", "", "conversations.json"},
		{"download", "original.json", "original.json"},
		{"download", "../original.json", "download"},
		{"x/y.GZ", "", "y"},
	} {
		a, err := Open(context.Background(), []Part{{Name: c.label, Source: bytes.NewReader(gzipped(t, []byte("[1]"), c.inside))}}, Limits{}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := listing(t, a), []string{c.want + "=[1]"}; !slices.Equal(got, want) || a.Kind != "gz" || a.Members[0].Size != -1 {
			t.Errorf("%s: %q, kind %q", c.label, got, a.Kind)
		}
	}
	data := gzipped(t, []byte(noise(5000)), "a")
	for want, bad := range map[Code][]byte{
		CodeTruncated: data[:len(data)-100],
		CodeChecksum:  append(slices.Clone(data[:len(data)-8]), 1, 2, 3, 4, 5, 6, 7, 8),
	} {
		_, err := read(mustOpen(t, bad, Limits{}).Members[0])
		if got := codeOf(t, err); got != want {
			t.Errorf("code is %s, expected %s", got, want)
		}
	}
	damaged := append(slices.Clone(data[:12]), 0xff, 0xff, 0xff)
	r, err := mustOpen(t, damaged, Limits{}).Members[0].Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r); codeOf(t, err) != CodeCorrupt {
		t.Errorf("error is %v", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("close repeats what read has said: %v", err)
	}
	if _, err := openBytes(t, data[:5], Limits{}); codeOf(t, err) != CodeTruncated {
		t.Errorf("error is %v", err)
	}
}
