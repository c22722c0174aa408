package sealed_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/blob/sealed"
)

// everything is the scope of a test: all objects are of one owner, but not those about keys.
func everything(key string) (string, bool) {
	return "ann", !strings.HasPrefix(key, sealed.Root)
}

func openDir(t testing.TB) *dir.Store {
	t.Helper()
	s, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newMaster(t testing.TB) *sealed.LocalMaster {
	t.Helper()
	m, err := sealed.NewMaster(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// split keeps the objects about keys apart, so that the suite sees its own objects only.
type split struct{ blob.Store }

func seal(t testing.TB, inner blob.Store, m sealed.Master) *sealed.Store {
	t.Helper()
	return sealed.New(inner, sealed.NewKeyring(openDir(t), m, rand.Reader), everything)
}

func TestStoreKeepsTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store { return seal(t, openDir(t), newMaster(t)) })
}

// A store without batches and random access takes other ways.
func TestStoreOverASimpleOneKeepsTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store { return seal(t, split{openDir(t)}, newMaster(t)) })
}

func put(t *testing.T, s blob.Store, key string, body []byte) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, bytes.NewReader(body), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func get(ctx context.Context, s blob.Store, key string, r blob.Range) ([]byte, error) {
	body, _, err := s.Get(ctx, key, r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(body)
	return data, errors.Join(err, body.Close())
}

func content(n int) []byte { return bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n] }

func TestRangesAroundTheEdgesOfChunks(t *testing.T) {
	const chunk = 64 << 10
	s := seal(t, openDir(t), newMaster(t))
	for _, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 3*chunk + 5} {
		data := content(size)
		put(t, s, "o", data)
		for _, from := range []int{0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3*chunk - 1, 3 * chunk} {
			for _, n := range []int{0, 1, 2, chunk, chunk + 1, 4 * chunk} {
				r := blob.Range{Offset: int64(from), Length: int64(n)}
				a, b := r.Span(int64(size))
				got, err := get(t.Context(), s, "o", r)
				if err != nil || !bytes.Equal(got, data[a:b]) {
					t.Fatalf("%+v of %d bytes: %d bytes, %v; want %d", r, size, len(got), err, b-a)
				}
			}
		}
	}
}

func TestNothingOfTheContentIsInTheStoreBelow(t *testing.T) {
	below := openDir(t)
	s := seal(t, below, newMaster(t))
	put(t, s, "a", []byte("walnut allergy"))
	if _, err := s.PutAbsent(t.Context(), []blob.Item{{Key: "b", Body: []byte("walnut allergy")}}); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, key := range []string{"a", "b"} {
		got, err := get(t.Context(), below, key, blob.Range{})
		if err != nil || bytes.Contains(got, []byte("walnut")) {
			t.Errorf("%s: %q, %v", key, got, err)
		}
		seen = append(seen, string(got))
	}
	if seen[0][60:] == seen[1][60:] {
		t.Error("equal contents look equal")
	}
}

func TestEveryKindOfDamageIsNoticed(t *testing.T) {
	below := openDir(t)
	s := seal(t, below, newMaster(t))
	data := content(150_000)
	put(t, s, "o", data)
	put(t, s, "other", data)
	whole, err := get(t.Context(), below, "o", blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := get(t.Context(), below, "other", blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	const head, chunk = 56, 64<<10 + 16
	damage := map[string][]byte{
		"empty": nil, "header only": whole[:head], "half a header": whole[:20],
		"moved from another key": other, "without its last chunk": whole[:head+2*chunk],
		"without its last byte": whole[:len(whole)-1], "with a byte more": append(bytes.Clone(whole), 0),
		"chunks exchanged": slicesOf(whole[:head], whole[head+chunk:head+2*chunk], whole[head:head+chunk], whole[head+2*chunk:]),
		"chunk left out":   slicesOf(whole[:head], whole[head+chunk:]), "plain text": data,
	}
	for at := range whole {
		if at < head+40 || at%9973 == 0 || at > len(whole)-20 {
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << (at % 8)
			damage[fmt.Sprintf("bit %d of byte %d", at%8, at)] = flipped
		}
	}
	for name, body := range damage {
		put(t, below, "o", body)
		_, err := get(t.Context(), s, "o", blob.Range{})
		var d *blob.DamagedError
		if !errors.As(err, &d) || d.Key != "o" || !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if blob.Retryable(err) {
			t.Errorf("%s would be tried again", name)
		}
	}
	put(t, below, "o", whole)
	if got, err := get(t.Context(), s, "o", blob.Range{}); err != nil || !bytes.Equal(got, data) {
		t.Errorf("undamaged: %v", err)
	}
}

func slicesOf(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
