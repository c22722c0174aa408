package assemble

import (
	"math"
	"slices"
)

// weights are the kinds of evidence for a memory, in order, with the best confidence of each.
type weights struct {
	kinds []string
	best  []float64
}

// add takes evidence of a kind.
func (w *weights) add(kind string, p float64) {
	i, found := slices.BinarySearch(w.kinds, kind)
	if !found {
		w.kinds, w.best = slices.Insert(w.kinds, i, kind), slices.Insert(w.best, i, 0)
	}
	w.best[i] = max(w.best[i], p)
}

// join takes the evidence of another memory that says the same.
func (w *weights) join(o *weights) {
	for i, kind := range o.kinds {
		w.add(kind, o.best[i])
	}
}

// confidence is that of all kinds together.
func (w *weights) confidence() float64 {
	doubt := 1.0
	for _, p := range w.best {
		doubt *= 1 - p
	}
	return confidenceOf(doubt)
}

// confidenceOf grows with each kind of evidence: 1-Π(1-p), to four decimals.
func confidenceOf(doubt float64) float64 { return math.Round(min(1-doubt, maxConfidence)*1e4) / 1e4 }

func (w *weights) pack(dst []byte) []byte {
	dst = packStrings(dst, w.kinds)
	for _, p := range w.best {
		dst = packFloat(dst, p)
	}
	return dst
}

func (u *unpacker) weights() (w weights) {
	w.kinds = u.strings()
	for range w.kinds {
		w.best = append(w.best, u.float())
	}
	return w
}
