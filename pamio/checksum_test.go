package pamio

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gowebpki/jcs"

	"github.com/pamline/pamline/pamio/jsonscan"
)

func TestChecksumIsThatOfTheCanonicalArray(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	for n := range 20 {
		var memories [][]byte
		for i := range n {
			m := leastMemory()
			m.ID, m.Content = fmt.Sprintf("%c%d", 'A'+rnd.IntN(50), i), "x"+randomString(rnd)
			text, err := m.AppendCanonical(nil)
			if err != nil {
				t.Fatal(err)
			}
			memories = append(memories, text)
		}
		var sum Checksummer
		sorted := sortedByID(t, memories)
		for i, m := range sorted {
			if err := sum.Add(idOf(t, m), m); err != nil {
				t.Fatal(err)
			}
			if sum.Count() != int64(i+1) {
				t.Fatalf("%d counted", sum.Count())
			}
		}
		array, err := jcs.Transform([]byte("[" + string(bytes.Join(sorted, []byte(","))) + "]"))
		if err != nil {
			t.Fatal(err)
		}
		want := Digest(sha256.Sum256(array))
		if first, again := sum.Sum(), sum.Sum(); first != want || again != want {
			t.Fatalf("checksum %s, then %s, want %s", first, again, want)
		}
		rnd.Shuffle(n, func(i, j int) { memories[i], memories[j] = memories[j], memories[i] })
		for i := range memories { // any JSON form
			var spaced bytes.Buffer
			if err := json.Indent(&spaced, memories[i], "", "  "); err != nil {
				t.Fatal(err)
			}
			memories[i] = spaced.Bytes()
		}
		if got, err := Checksum(memories); err != nil || got != want {
			t.Fatalf("Checksum of %d in any order: %s, %v, want %s", n, got, err, want)
		}
	}
	for name, memories := range map[string][][]byte{
		"twice": {[]byte(`{"id":"a"}`), []byte(`{"id":"a"}`)}, "no id": {[]byte(`{}`)}, "no text": {[]byte(`{"id":1}`)}, "big": {[]byte(`{"id":"a","n":9007199254740993}`)},
	} {
		if sum, err := Checksum(memories); err == nil {
			t.Errorf("%s: checksum %s", name, sum)
		}
	}
}

func idOf(t *testing.T, m []byte) string {
	t.Helper()
	d, err := jsonscan.Parse(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d.Root().Get("id").Str()
}

func sortedByID(t *testing.T, memories [][]byte) [][]byte {
	t.Helper()
	out := append([][]byte{}, memories...)
	for i := range out { // a plain insertion sort, to have nothing in common with the code under test
		for j := i; j > 0 && idOf(t, out[j]) < idOf(t, out[j-1]); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func TestChecksumOfTheSpecificationsExample(t *testing.T) {
	text, err := os.ReadFile(shared(t, "vectors", "pam-examples", "example-memory-store.json"))
	if err != nil {
		t.Fatal(err)
	}
	var memories [][]byte
	var declared string
	err = ReadStore(bytes.NewReader(text), Visitor{
		Memory:  func(e Element) error { memories = append(memories, bytes.Clone(e.Raw)); return nil },
		Scalars: func(s *Scalars) error { declared = s.Integrity.Checksum; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Checksum(memories); err != nil || got != declared {
		t.Errorf("checksum %s, %v, the example declares %s", got, err, declared)
	}
	for _, m := range memories {
		p, err := ParseMemory(m)
		if err != nil {
			t.Fatal(err)
		}
		if ContentHash(p.Content) != p.ContentHash {
			t.Errorf("content hash of %s differs", p.ID)
		}
	}
}
