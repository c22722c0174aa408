package rules

import (
	_ "embed" // the kinds
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pamline/pamline/extract/lexicon"
)

//go:embed kinds.yaml
var kindsText []byte

// transitionKinds tell what transitions are about, in every language.
type transitionKinds struct {
	// Captures are the kinds of captures, by the name of a transition or its first part.
	Captures map[string]map[string]string `yaml:"captures"`
	Others   []string                     `yaml:"others"`
	Lasting  []string                     `yaml:"lasting"`
	Games    words                        `yaml:"games"`
}

// changeKinds reads the kinds once.
var changeKinds = sync.OnceValues(func() (*transitionKinds, error) {
	var k transitionKinds
	if err := lexicon.DecodeTable(kindsText, &k); err != nil {
		return nil, fmt.Errorf("parse kinds.yaml: %w", err)
	}
	return &k, nil
})

// concerns tells whether a list has a transition or the first part of its name.
func concerns(list []string, name string) bool {
	area, _, _ := strings.Cut(name, ".")
	return slices.Contains(list, name) || slices.Contains(list, area)
}

// The kinds of captures.
const (
	ofPlace  = "place"
	ofPerson = "person"
	ofFirm   = "firm"
	ofJob    = "job"
)

// kindsOf gives the kinds of the captures of a transition, and whether its subject may be somebody
// else and it is nothing that people tell of by hours.
func kindsOf(name string) (captures map[string]string, ofOthers, lasts bool, err error) {
	k, err := changeKinds()
	if err != nil {
		return nil, false, false, err
	}
	captures, ok := k.Captures[name]
	if !ok {
		area, _, _ := strings.Cut(name, ".")
		captures = k.Captures[area]
	}
	return captures, concerns(k.Others, name), concerns(k.Lasting, name), nil
}

// kindGuard tells why a match is of something else than its transition is about, "" when it is not.
func (r *reader) kindGuard(t *table, f *found, fam *compiledFamily) string {
	ch := fam.change
	switch {
	case ch.Corrects:
		return ""
	case r.imagined:
		return "imagined"
	case !ch.ofOthers && r.isOfOthers(t, f):
		return "other"
	case ch.lasts && r.isOfHours(t, f):
		return "hours"
	case r.misfits(t, f, ch):
		return "kind"
	case len(ch.says)+len(ch.opens) > 0 && !ch.Mention && r.clauseEnd == 0 && r.isCutOff(t, f):
		return "cut"
	}
	return ""
}

// misfits tells whether an open capture names something of another kind than its transition is
// about: "I moved to cell B4", "I married two concepts".
func (r *reader) misfits(t *table, f *found, ch *compiledChange) bool {
	for i, name := range t.captures {
		k := &f.captures[i]
		if !k.set || k.entry || k.canonical != "" || !r.names(t, k) {
			continue
		}
		if r.isPassing(t, k) {
			return true
		}
		fits := true
		switch ch.kinds[name] {
		case ofPlace:
			fits = r.mayName(t, k, t.change.places)
		case ofPerson:
			if fits = r.mayName(t, k, t.change.people); !fits && t.namesKin(f) {
				*k, fits = captured{}, true // "my father also passed away" names no father
			}
		case ofFirm:
			fits = !r.m.tokens[k.start].digits
		case ofJob:
			fits = !r.hasEntry(t, k, t.change.games)
		}
		if !fits {
			return true
		}
	}
	return false
}

// namesKin tells whether an entry of a match names a relative or partner: a name beside it says no
// more than who that is.
func (t *table) namesKin(f *found) bool {
	return slices.ContainsFunc(f.captures[:], func(k captured) bool { return k.entry && slices.Contains(t.change.kin, k.class) })
}

// mayName tells whether a capture may be a name, or has a word of a class. A name has a capital
// letter, or is a word of no class, without an article.
func (r *reader) mayName(t *table, k *captured, class classID) bool {
	if !t.change.capitals || r.hasEntry(t, k, class) {
		return true
	}
	first := true
	for j := k.start; j < k.end; j++ {
		tok := &r.m.tokens[j]
		if tok.kind != word {
			continue
		}
		if tok.capital && !strings.ContainsAny(r.msg.Text[tok.start:tok.end], "0123456789") {
			return true
		}
		if first && t.member[tok.id] == (classSet{}) || t.isNamed(tok) || t.isCapitalized(tok) {
			return true
		}
		first = false
	}
	return false
}

// isCapitalized tells whether a word stands for a name in the table: spain.
func (t *table) isCapitalized(tok *token) bool {
	for c := range t.classes {
		if t.is(tok, classID(c)) && beginsUpper(t.classes[c].canonical[tok.id]+" ") { //nolint:gosec // at most maxClasses
			return true
		}
	}
	return false
}

// isPassing tells whether a capture has a word for a thing of a moment or of a screen.
func (r *reader) isPassing(t *table, k *captured) bool {
	return t.change != nil && r.hasEntry(t, k, t.change.passing)
}

// tellsPassing tells whether an open capture of a match has such a word.
func (r *reader) tellsPassing(t *table, f *found) bool {
	for i := range t.captures {
		if k := &f.captures[i]; k.set && !k.entry && r.isPassing(t, k) {
			return true
		}
	}
	return false
}

// hasEntry tells whether a capture has an entry of a class that is no name in it.
func (r *reader) hasEntry(t *table, k *captured, class classID) bool {
	for j := k.start; j < k.end; j++ {
		if tok := &r.m.tokens[j]; tok.kind != word || tok.capital && t.change.capitals && j > 0 && class == t.change.passing {
			continue
		}
		if n, _ := t.entry(r.m.tokens[:k.end], j, class); n > 0 {
			return true
		}
	}
	return false
}
