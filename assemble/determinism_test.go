package assemble

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// randomArchives makes snapshots of a few conversations that grow, shrink and change, and
// candidates about them.
func randomArchives(rng *rand.Rand, n int) []export {
	var out []export
	for i := range n {
		var docs []*pamio.Conversation
		for c := range 4 {
			if rng.IntN(4) == 0 {
				continue
			}
			var messages []string
			for m := range 5 {
				if rng.IntN(3) > 0 {
					messages = append(messages, fmt.Sprintf("m%d:%s", m, []string{"hello", "hallo"}[rng.IntN(2)]))
				}
			}
			d := conversation(c, []string{"", day2, day3, day4}[rng.IntN(4)], messages...)
			if rng.IntN(2) == 0 {
				d.RawMetadata = []byte(fmt.Sprintf(`{"k":%d,"i%d":true}`, rng.IntN(3), rng.IntN(3)))
			}
			docs = append(docs, d)
		}
		a := newArchive([]string{"conversations.json", "b.json"}[rng.IntN(2)], []string{day2, day3}[rng.IntN(2)]+"", docs...)
		a.source.Checksum = pamio.ContentHash(fmt.Sprint("archive ", i))
		for range rng.IntN(12) {
			a.candidates = append(a.candidates, randomCandidate(rng))
		}
		out = append(out, a)
	}
	return out
}

func randomCandidate(rng *rand.Rand) normalize.Candidate {
	c := normalize.Candidate{
		Type: []string{"fact", "preference"}[rng.IntN(2)], Content: []string{"Likes tea", "likes  TEA", "Has a cat"}[rng.IntN(3)],
		Confidence: []float64{.3, .5, .9}[rng.IntN(3)], Platform: []string{"chatgpt", "claude"}[rng.IntN(2)],
		Method: "api_export", Extractor: "pamline-harvest/1.0.0", Tags: []string{[]string{"a", "b", "c"}[rng.IntN(3)]},
		Language: []string{"", "en", "de"}[rng.IntN(3)],
	}
	for range 1 + rng.IntN(3) {
		e := normalize.Evidence{ObservedAt: []string{"", day1, day2, day3}[rng.IntN(4)], Quote: "q", Start: rng.IntN(2), End: 3}
		if rng.IntN(5) > 0 {
			e.Conversation, e.Message = normalize.ConversationID("chatgpt", fmt.Sprint(rng.IntN(6))), "m1"
		} else {
			e.Member, e.Pointer = "memories.json", fmt.Sprint("/", rng.IntN(2))
		}
		c.Evidence = append(c.Evidence, e)
	}
	return c
}

func TestEveryOrderAndEverySplitGivesTheSameStore(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 29))
	sizes := []int{2, 2, 3, 3, 4, 5}
	if testing.Short() {
		sizes = []int{2, 3, 3}
	}
	o := Options{Scratch: t.TempDir()}
	for round, size := range sizes {
		archives := randomArchives(rng, size)
		all := newStorage()
		all.add(archives...)
		want := assemble(t, all, o)
		same := func(how string, s *storage, got store) {
			t.Helper()
			if got.content != want.content {
				t.Fatalf("round %d, %s: the store differs\ngot  %+v\nwant %+v", round, how, got.content, want.content)
			}
			for name, body := range all.files {
				if string(s.files[name]) != string(body) {
					t.Fatalf("round %d, %s: file %s differs", round, how, name)
				}
			}
		}
		for order := range permutations(len(archives)) {
			for split := range order {
				s := newStorage()
				for _, i := range order[:split] {
					s.add(archives[i])
				}
				if split > 0 {
					s.take(t, assemble(t, s, o))
				}
				for _, i := range order[split:] {
					s.add(archives[i])
				}
				same(fmt.Sprintf("order %v, split %d", order, split), s, assemble(t, s, o))
			}
		}
		for workers := range 4 {
			s := newStorage()
			s.add(archives...)
			s.add(archives...) // everything twice
			rng.Shuffle(len(s.snapshots), func(i, j int) { s.snapshots[i], s.snapshots[j] = s.snapshots[j], s.snapshots[i] })
			rng.Shuffle(len(s.candidates), func(i, j int) { s.candidates[i], s.candidates[j] = s.candidates[j], s.candidates[i] })
			same(fmt.Sprint(workers+1, " workers"), s,
				assemble(t, s, Options{Workers: workers + 1, Budget: 2000, BatchBytes: 1000, BatchFiles: workers, InFlight: 500}))
		}
	}
}

func permutations(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var rec func(done, left []int) bool
		rec = func(done, left []int) bool {
			if len(left) == 0 {
				return yield(slices.Clone(done))
			}
			for i, x := range left {
				if !rec(append(done, x), slices.Delete(slices.Clone(left), i, i+1)) {
					return false
				}
			}
			return true
		}
		ids := make([]int, n)
		for i := range ids {
			ids[i] = i
		}
		rec(nil, ids)
	}
}
