package graph

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/pamline/pamline/pamio/extsort"
)

func name(n int) []byte {
	var b [NodeSize]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)*0x9E3779B97F4A7C15)
	binary.BigEndian.PutUint64(b[8:], uint64(n))
	return b[:]
}

// plain is union-find in memory.
type plain map[string]string

func (p plain) root(n string) string {
	if p[n] == "" {
		p[n] = n
	}
	for p[n] != n {
		p[n] = p[p[n]]
		n = p[n]
	}
	return n
}

func (p plain) join(a, b string) {
	a, b = p.root(a), p.root(b)
	p[max(a, b)] = min(a, b)
}

func check(t *testing.T, edges [][2]int, budget int64) {
	t.Helper()
	dir := t.TempDir()
	var all []*extsort.Sorter
	sorter := func() *extsort.Sorter {
		s := extsort.New(dir, budget)
		all = append(all, s)
		return s
	}
	in, want := sorter(), plain{}
	for _, e := range edges {
		a, b := name(e[0]), name(e[1])
		if err := AddEdge(in, a, b); err != nil {
			t.Fatal(err)
		}
		if e[0] != e[1] {
			want.join(string(a), string(b))
		}
	}
	out, err := Components(in, sorter)
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, ""
	for r, err := range out.Sorted() {
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Key) <= last {
			t.Fatal("nodes do not ascend")
		}
		last = string(r.Key)
		if string(r.Value) != want.root(last) {
			t.Fatalf("node %x hangs on %x, want %x", last, r.Value, want.root(last))
		}
		n++
	}
	if n != len(want) {
		t.Fatalf("%d nodes, want %d", n, len(want))
	}
	for _, s := range all {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestComponentsAreThoseOfUnionFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for range 60 {
		var edges [][2]int
		nodes := 1 + rng.IntN(60)
		for range rng.IntN(80) {
			edges = append(edges, [2]int{rng.IntN(nodes), rng.IntN(nodes)})
		}
		check(t, edges, []int64{1, 2000, 1 << 20}[rng.IntN(3)])
	}
}

func TestLongPathsAndWideStarsEnd(t *testing.T) {
	var path, star [][2]int
	for n := range 5000 {
		path = append(path, [2]int{n, n + 1})
		star = append(star, [2]int{5, n})
	}
	check(t, path, 1<<20)
	check(t, star, 1<<20)
	check(t, nil, 1<<20)
}

func TestScratchFaultsAreErrors(t *testing.T) {
	edges := extsort.New(t.TempDir(), 0)
	if err := AddEdge(edges, name(1), name(2)); err != nil {
		t.Fatal(err)
	}
	closed := func() *extsort.Sorter {
		s := extsort.New(t.TempDir(), 0)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if _, err := Components(edges, closed); err == nil {
		t.Error("no error")
	}
}
