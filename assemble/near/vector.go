package near

import (
	"math"
	"math/bits"
)

// Tables is how many times vectors are sorted by their signs; each time TableBits other signs of
// them decide.
const (
	Tables    = 16
	TableBits = 24
)

// SignBits is the number of random planes.
const SignBits = Tables * TableBits

// Signature tells on which side of each plane a vector lies.
type Signature [SignBits / 64]uint64

// MaxDistance is how many signs of two vectors with MinCosine may differ: 49 are expected, and 72
// are 3.5 standard deviations more.
const MaxDistance = 72

// Sign gives the signature of a vector. The planes are the rows of random rotations, each two
// changes of sign with a Hadamard transform behind it, which is additions only.
func Sign(v []float32) Signature {
	size := 1
	for size < len(v) {
		size *= 2
	}
	size = max(size, 64)
	var s Signature
	x := make([]float64, size)
	for done, round := 0, uint64(0); done < SignBits; round++ {
		clear(x)
		for i, f := range v {
			x[i] = float64(f)
		}
		for turn := range uint64(2) {
			for i := range x {
				if mix(round<<40|turn<<32|uint64(i))&1 == 1 {
					x[i] = -x[i]
				}
			}
			hadamard(x)
		}
		for i := 0; i < size && done < SignBits; i++ {
			if x[i] > 0 {
				s[done/64] |= 1 << (done % 64)
			}
			done++
		}
	}
	return s
}

// hadamard is the Walsh-Hadamard transform in place; the length is a power of two.
func hadamard(x []float64) {
	for half := 1; half < len(x); half *= 2 {
		for i := 0; i < len(x); i += 2 * half {
			for j := i; j < i+half; j++ {
				a, b := x[j], x[j+half]
				x[j], x[j+half] = a+b, a-b
			}
		}
	}
}

// Table is the part of the signature that decides in one of the tables: TableBits bits.
func (s *Signature) Table(n int) uint32 {
	var out uint32
	for i := n * TableBits; i < (n+1)*TableBits; i++ {
		out = out<<1 | uint32(s[i/64]>>(i%64)&1)
	}
	return out
}

// Distance is the number of signs that differ.
func (s *Signature) Distance(o *Signature) int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i] ^ o[i])
	}
	return n
}

// Cosine is that of the angle between two vectors: 0 when they have not the same length, or one of
// them none at all.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		// The conversions keep the compiler from fusing, which would give other last bits on other
		// machines.
		dot += float64(x * y)
		aa += float64(x * x)
		bb += float64(y * y)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(float64(aa*bb))
}
