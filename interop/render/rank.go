package render

import (
	"cmp"
	"math"
	"slices"
	"time"
	"unicode/utf8"
)

// halfLife is the age at which a memory counts half as fresh.
const halfLife = 2 * 365 * 24 * time.Hour

// weights are how much types matter beside others that are as sure and as fresh.
var weights = map[string]float64{"instruction": 1.3, "identity": 1.2, "preference": 1.1, "goal": 1.05, "context": 0.8}

// sortByRank puts what matters most first. Ages are measured from the newest memory, not from the
// clock.
func sortByRank(list []Memory) {
	var newest time.Time
	for _, m := range list {
		if m.at.After(newest) {
			newest = m.at
		}
	}
	rank := func(m Memory) float64 {
		fresh := 0.5 // of an unknown time
		if !m.at.IsZero() {
			fresh = math.Exp2(-newest.Sub(m.at).Hours() / halfLife.Hours())
		}
		weight, ok := weights[m.Type]
		if !ok {
			weight = 1
		}
		return weight * m.confidence * (0.5 + 0.5*fresh)
	}
	slices.SortFunc(list, func(a, b Memory) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID))
	})
}

// fit gives those of a sorted list that have room together: each that still fits is taken, so that
// a long one does not shut out all that follow. size is that of its line.
func fit(list []Memory, room int, size func(Memory) int) []Memory {
	if room < 0 {
		return list
	}
	var taken []Memory
	for _, m := range list {
		if n := size(m); n <= room {
			taken = append(taken, m)
			room -= n
		}
	}
	return taken
}

// length counts the characters of a text.
func length(text string) int { return utf8.RuneCountInString(text) }
