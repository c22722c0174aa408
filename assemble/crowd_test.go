package assemble

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// crowd is an Input of many candidates that are made when they are asked for.
type crowd struct {
	*storage
	n, vectors int
	parallel   bool // all vectors show into one direction
	make       func(i int) normalize.Candidate
	beat       func()
}

func (c crowd) Candidates(context.Context) iter.Seq2[normalize.Candidate, error] {
	return func(yield func(normalize.Candidate, error) bool) {
		for i := range c.n {
			if i%5000 == 0 {
				c.beat()
			}
			one := c.make(i)
			one.Evidence = []normalize.Evidence{{Member: fmt.Sprint("m", i%1000), Pointer: "/0", ObservedAt: fmt.Sprintf("2024-01-01T00:%02d:%02dZ", i/60%60, i%60)}}
			if !yield(one, nil) {
				return
			}
		}
	}
}

func (c crowd) Vectors(context.Context) iter.Seq2[Vector, error] {
	return func(yield func(Vector, error) bool) {
		for i := range c.vectors {
			v := Vector{Hash: pamio.ContentHash(c.make(i).Content), Model: "m", Values: make([]float32, 256)}
			for d := range v.Values {
				if v.Values[d] = float32(i*(d+3)*7919%1009) - 500; c.parallel {
					v.Values[d] = float32((i%5 + 1) * d)
				}
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

var syllables = [...]string{"ba", "ke", "li", "mo", "nu", "pra", "sten", "tor", "vil", "wex", "yam", "zor", "chi", "fu", "gro", "hil"}

// called makes another word of each number.
func called(n int) string {
	s := ""
	for n >= 0 {
		s += syllables[n%16]
		n = n/16 - 1
	}
	return s
}

func plainFact(content string) normalize.Candidate {
	return normalize.Candidate{
		Type: "fact", Content: content, Confidence: .8, Platform: "chatgpt", Method: "explicit_user_input", Extractor: "pamline-rules/1.0.0", Language: "en",
	}
}

// crowds are the shapes that a naive resolver would choke on, and the plain one.
var crowds = map[string]func(i int) normalize.Candidate{
	// Different facts about many things, of which each tenth is told again.
	"spread": func(i int) normalize.Candidate {
		if i%10 == 9 {
			i -= 9
		}
		c := plainFact(fmt.Sprintf("Has often been to %s with %s and %s.", called(i), called(i*31+7), called(i*17+3)))
		c.Slot = &normalize.Slot{Attribute: "habit", Value: called(i) + " with " + called(i*31+7)}
		return c
	},
	// One fact in as many wordings as there are candidates.
	"equal slots": func(i int) normalize.Candidate {
		c := plainFact(fmt.Sprintf("%s %s lives in Berlin %s", called(i), called(i*7919), called(i*104729)))
		c.Slot = &normalize.Slot{Attribute: "residence", Value: "Berlin", One: true}
		return c
	},
	// Contents that are near-duplicates of each other.
	"near-identical contents": func(i int) normalize.Candidate {
		return plainFact(fmt.Sprintf("Has told a very long story about the old house by the river, the two brothers who lived in it, their boat, the flood that "+
			"came in the spring, the neighbours who helped them, the barn in which they kept hay and tools, the wedding of the younger one, and the "+
			"letter that was found years later under the floor by %s", called(i)))
	},
	// Values of one attribute with one value at a time.
	"one chain": func(i int) normalize.Candidate {
		c := plainFact(fmt.Sprintf("Lives in %s, it is said, near %s.", called(i), called(i*7919)))
		c.Slot = &normalize.Slot{Attribute: "residence", Value: called(i), One: true}
		return c
	},
	// Different contents of one meaning.
	"parallel vectors": func(i int) normalize.Candidate {
		return plainFact(called(i) + " " + called(i*7919) + " " + called(i*104729))
	},
	// Values that all contain one other.
	"one stem": func(i int) normalize.Candidate {
		c := plainFact(fmt.Sprintf("%s is what is liked in %s", called(i), called(i*7919)))
		c.Slot = &normalize.Slot{Attribute: "likes", Value: "tea from " + called(i) + " or " + called(i*31)}
		if i == 0 {
			c.Slot.Value = "tea"
		}
		return c
	},
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestCrowdsAreResolvedInBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: other tests run the same code")
	}
	const n = 3000
	want := map[string]func(s *Stats) bool{
		"spread":                  func(s *Stats) bool { return s.Active == int64(n)*9/10 && s.Memories == s.Active },
		"equal slots":             func(s *Stats) bool { return s.Active == 1 && s.Duplicates == int64(n)-1 },
		"near-identical contents": func(s *Stats) bool { return s.Active == 1 && s.Duplicates == int64(n)-1 },
		"one chain": func(s *Stats) bool {
			return s.Superseded > 0 && s.Active < int64(n)/20 && s.Active+s.Superseded == int64(n) && s.Relations[supersedes] == s.Superseded
		},
		"parallel vectors": func(s *Stats) bool {
			return s.Active == 1 && s.Duplicates == int64(n)-1 && s.Embeddings == int64(n)
		},
		"one stem": func(s *Stats) bool { return s.Active == int64(n) && s.Relations[extends] == int64(n)-1 },
	}
	for name, fill := range crowds {
		t.Run(name, func(t *testing.T) {
			before, peak := heapInUse(), int64(0)
			in := crowd{storage: newStorage(), n: n, make: fill, beat: func() { peak = max(peak, heapInUse()) }}
			if name == "parallel vectors" {
				in.vectors, in.parallel = n, true
			}
			r, err := Assemble(context.Background(), in, in, Options{Scratch: t.TempDir(), Budget: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			peak = max(peak, heapInUse())
			if !want[name](&r.Stats) {
				t.Errorf("stats %+v", r.Stats)
			}
			if grown := peak - before; grown > 5<<20 {
				t.Errorf("the heap grew by %d bytes", grown)
			}
		})
	}
}

// BenchmarkResolve resolves candidates that have nothing to do with conversations.
func BenchmarkResolve(b *testing.B) {
	run := func(name string, n, vectors int) {
		b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				in := crowd{storage: newStorage(), n: n, vectors: vectors, make: crowds[name], beat: func() {}}
				r, err := Assemble(context.Background(), in, in, Options{Scratch: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "candidates/s")
		})
	}
	run("spread", 20_000, 0)
	run("spread", 20_000, 2000)
	run("spread", 200_000, 0)
	run("equal slots", 200_000, 0)
	run("near-identical contents", 200_000, 0)
	run("one chain", 200_000, 0)
	run("one stem", 200_000, 0)
	run("spread", 1_000_000, 0)
}
