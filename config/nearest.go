package config

import (
	"maps"
	"slices"
	"strings"
)

// nearest is the known key that a mistyped one was probably meant to be, or "". A key whose last
// part is right but whose section is missing or wrong is found by that part.
func nearest(key string, known map[string]Field) string {
	best, bestDistance := "", len(key)/3+1
	last := key[strings.LastIndexByte(key, '.')+1:]
	for _, k := range slices.Sorted(maps.Keys(known)) {
		if known[k].Type == "section" && strings.Contains(key, ".") {
			continue
		}
		d := distance(key, k)
		if end := k[strings.LastIndexByte(k, '.')+1:]; end == last && known[k].Type != "section" {
			d = min(d, 1)
		}
		if d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with their neighbour to turn
// a into b.
func distance(a, b string) int {
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
