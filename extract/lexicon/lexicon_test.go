package lexicon

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTheLexiconHasTheWordsAndNoOthers compares it with the map that it is made of, on words of all
// lengths that differ in one letter only.
func TestTheLexiconHasTheWordsAndNoOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func() string {
		w := []byte(strings.Repeat("a", 1+r.IntN(24)))
		for range 2 {
			w[r.IntN(len(w))] = "abz'\x00"[r.IntN(5)]
		}
		return string(w)
	}
	words := map[string]ID{"": 0}
	for id := ID(1); id <= 2000; id++ {
		words[random()] = id
	}
	l := NewWords(words)
	ask := func(w string) {
		exact := append(make([]byte, 0, len(w)), w...)
		roomy := append(append(make([]byte, 0, 64), w...), "rest of another word"...)[:len(w)]
		for _, b := range [][]byte{exact, roomy} {
			if got := l.Find(b); got != words[w] {
				t.Fatalf("%q is %d, want %d", w, got, words[w])
			}
		}
	}
	for w := range words {
		ask(w)
	}
	for range 5000 {
		ask(random())
	}
	if empty := (&Words{}); empty.Find([]byte("a")) != 0 {
		t.Error("an empty lexicon has a word")
	}
}

func TestEdgesLeadWhereTheyWereMade(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	random := func() (int32, ID) { return int32(r.IntN(60)), ID(r.IntN(80)) } //nolint:gosec // small
	words := map[uint64]int32{}
	for to := int32(1); to <= 1500; to++ {
		words[EdgeKey(random())] = to
	}
	e := NewEdges(words)
	for from := range int32(64) {
		for id := range ID(90) {
			if got, want := e.Step(from, id), words[EdgeKey(from, id)]; got != want {
				t.Fatalf("from %d by %d to %d, want %d", from, id, got, want)
			}
		}
	}
	if none := NewEdges(nil); none.Step(0, 1) != 0 || none.Step(1, 1) != 0 {
		t.Error("there are edges of nothing")
	}
}
