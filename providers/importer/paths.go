package importer

import (
	"slices"
	"strings"
)

// pathSet has the paths of a shape in ascending order: a hash of each with the kinds of its values
// in the lowest bits. The text of paths would take ten times the memory, for each of a million
// members.
type pathSet []uint64

// kinds is a set of kinds of values.
type kinds uint8

// kindLetters has the letter of each kind at the place of its bit.
const (
	kindLetters = `{["0bn`
	kindBits    = 1<<len(kindLetters) - 1
)

// find gives the kinds of the values at a path; ok is false if there are none.
func (s pathSet) find(path string) (k kinds, ok bool) {
	hash := sniffedPath{}.add(path).hash()
	i, _ := slices.BinarySearch(s, hash)
	if i == len(s) || s[i]&^kindBits != hash {
		return 0, false
	}
	return kinds(s[i] & kindBits), true
}

// merged sorts noted paths, and unites the kinds of each.
func merged(notes []uint64) []uint64 {
	slices.Sort(notes)
	n := 0
	for _, note := range notes {
		if n > 0 && notes[n-1]&^kindBits == note&^kindBits {
			notes[n-1] |= note
			continue
		}
		notes[n] = note
		n++
	}
	return notes[:n]
}

// sniffedPath is a path while it grows.
type sniffedPath struct {
	state   uint64 // of FNV-1a
	size    int
	starred bool // it has a *
}

func (p sniffedPath) add(text string) sniffedPath {
	if p.size == 0 {
		p.state = 14695981039346656037
	}
	p.size += len(text)
	p.starred = p.starred || strings.IndexByte(text, '*') >= 0
	for i := range len(text) {
		p.state = (p.state ^ uint64(text[i])) * 1099511628211
	}
	return p
}

// hash mixes the state, so that paths that differ in their last byte differ in all bits.
func (p sniffedPath) hash() uint64 {
	h := p.state
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return (h ^ h>>33) &^ kindBits
}

// notes collects the paths of a member.
type notes struct {
	all []uint64
	// latest has notes at places that their hashes choose: most are repeated.
	latest [256]uint64
}

// isFull tells whether no more paths are to be noted.
func (n *notes) isFull() bool {
	if len(n.all) < 2*maxPaths {
		return false
	}
	n.all = merged(n.all)
	return len(n.all) >= maxPaths
}

func (n *notes) add(p sniffedPath, k kinds) {
	note := p.hash() | uint64(k)
	if at := &n.latest[note>>56]; *at != note {
		*at = note
		n.all = append(n.all, note)
	}
}
