package archive

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func openParts(t *testing.T, parts ...Part) (*Archive, error) {
	t.Helper()
	a, err := Open(context.Background(), parts, Limits{}, t.TempDir())
	if err == nil {
		t.Cleanup(func() { _ = a.Close() })
	}
	return a, err
}

func part(name string, data []byte) Part { return Part{Name: name, Source: bytes.NewReader(data)} }

func TestSeveralPartsAreOneArchive(t *testing.T) {
	a, err := openParts(t, part("one.zip", ordinary(t, "a", "1")), part("x/two.json", []byte("[2]")), part("three.tar", tarOf(t, tarFile{name: "c", content: "3"})))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listing(t, a), []string{"a=1", "two.json=[2]", "c=3"}; !slices.Equal(got, want) || a.Kind != "parts" {
		t.Errorf("kind %q, members %q", a.Kind, got)
	}
	if a.Members[2].Part != 2 {
		t.Errorf("part is %d", a.Members[2].Part)
	}
}

func TestPartsWithTheSameNamesAreKeptApart(t *testing.T) {
	a, err := openParts(t, part("1.zip", ordinary(t, "users.json", "1", "only", "x")), part("2.zip", ordinary(t, "users.json", "2")))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listing(t, a), []string{"part-1/users.json=1", "part-1/only=x", "part-2/users.json=2"}; !slices.Equal(got, want) || a.Kind != "zip" {
		t.Errorf("kind %q, members %q", a.Kind, got)
	}
}

func TestBadPartIsRefusedWhileAnotherIsThere(t *testing.T) {
	bad := part("bad.rar", []byte("Rar!\x1a\x07 etc"))
	a, err := openParts(t, bad, part("good.json", []byte("{}")))
	if err != nil {
		t.Fatal(err)
	}
	if got := listing(t, a); !slices.Equal(got, []string{"good.json={}"}) || a.RefusedCount != 1 || a.Refused[0].Archive != "bad.rar" {
		t.Errorf("members %q, refused %v", got, a.Refused)
	}
	if _, err := openParts(t, bad); codeOf(t, err) != CodeNotArchive || !strings.Contains(err.Error(), "RAR") {
		t.Errorf("error is %v", err)
	}
	if _, err := openParts(t); codeOf(t, err) != CodeEmpty {
		t.Errorf("error is %v", err)
	}
}

// failing is a source whose storage breaks down.
type failing struct {
	*bytes.Reader
	from int64
}

var errStorage = errors.New("storage is down")

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, errStorage
	}
	return f.Reader.ReadAt(p, off)
}

func TestStorageFaultsAreNotTheArchivesFault(t *testing.T) {
	for name, data := range map[string][]byte{"zip": ordinary(t, "a", noise(5000)), "cut zip": ordinary(t, "a", noise(5000), "b", "x")[:5000],
		"tar": tarOf(t, tarFile{name: "a", content: noise(5000)}), "tar.gz": gzipped(t, tarOf(t, tarFile{name: "a", content: noise(50_000)}), "")} {
		t.Run(name, func(t *testing.T) {
			for _, from := range []int64{0, 600, int64(len(data)) - 10} {
				a, err := openParts(t, Part{Name: "x", Source: failing{bytes.NewReader(data), from}}, part("good", []byte("x")))
				for err == nil && len(a.Members) > 0 && a.Members[0].Name != "good" {
					_, err = read(a.Members[0])
					a.Members = a.Members[1:]
				}
				var bad *Error
				if !errors.Is(err, errStorage) || errors.As(err, &bad) {
					t.Errorf("storage that fails from byte %d: %v", from, err)
				}
			}
		})
	}
}
