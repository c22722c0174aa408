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
	Loose    []string                     `yaml:"loose"`
	Grave    []string                     `yaml:"grave"`
	Games    words                        `yaml:"games"`
	Forums   words                        `yaml:"forums"`
}

// changeKinds reads the kinds once.
var changeKinds = sync.OnceValues(func() (*transitionKinds, error) {
	var k transitionKinds
	if err := lexicon.DecodeTable(kindsText, &k); err != nil {
		return nil, fmt.Errorf("parse kinds.yaml: %w", err)
	}
	return &k, nil
})

// hasTransition tells whether a list has a transition or the first part of its name.
func hasTransition(list []string, name string) bool {
	area, _, _ := strings.Cut(name, ".")
	return slices.Contains(list, name) || slices.Contains(list, area)
}

// The kinds of captures.
const (
	ofPlace   = "place"
	ofPerson  = "person"
	ofName    = "name"
	ofFirm    = "firm"
	ofVenture = "venture"
	ofJob     = "job"
	ofManner  = "manner"
)

// about is what a transition is about: the kinds of its captures, whether its subject may be
// somebody else, whether nobody tells of it by hours, whether it ends what has any name, and
// whether it is a death or a parting.
type about struct {
	kinds                         map[string]string
	ofOthers, lasts, loose, grave bool
}

// kindsOf gives what a transition is about.
func kindsOf(name string) (about, error) {
	k, err := changeKinds()
	if err != nil {
		return about{}, err
	}
	captures, ok := k.Captures[name]
	if !ok {
		area, _, _ := strings.Cut(name, ".")
		captures = k.Captures[area]
	}
	grave := hasTransition(k.Grave, name)
	return about{kinds: captures, ofOthers: grave || hasTransition(k.Others, name), lasts: hasTransition(k.Lasting, name), loose: hasTransition(k.Loose, name), grave: grave}, nil
}

// kindGuard tells why a match is of something else than its transition is about, "" when it is not.
func (r *reader) kindGuard(t *table, f *found, fam *compiledFamily) string {
	ch := fam.change
	switch {
	case ch.Corrects:
		return ""
	case r.imagined:
		return "imagined"
	case !ch.ofOthers && r.isOfOthers(t, f, ch):
		return "other"
	case ch.grave && (t.change.figures != nil && r.anywhere(t.change.figures, 0, len(r.m.tokens)) || r.isLostInPlace(t, f)):
		return "figure"
	case ch.lasts && r.isOfHours(t, f):
		return "hours"
	case r.misfits(t, f, ch):
		return "kind"
	case len(ch.says)+len(ch.opens) > 0 && !ch.Mention && (r.passesBehind(t, f.end) || r.clauseEnd == 0 && r.isCutOff(t, f)):
		return "cut"
	}
	return ""
}

// misfits tells whether an open capture names something of another kind than its transition is
// about: "I moved to cell B4", "I married two concepts".
func (r *reader) misfits(t *table, f *found, ch *compiledChange) bool {
	for i, name := range t.captures {
		k := &f.captures[i]
		if k.set && ch.kinds[name] == ofJob && r.isRole(t, k) {
			return true
		}
		if !k.set || k.entry || k.stands != 0 {
			continue
		}
		if r.isPassing(t, k) || ch.kinds[name] == ofPerson && r.goesOnToThing(t, f, k) {
			return true
		}
		if !r.names(t, k) {
			continue
		}
		fits := true
		switch ch.kinds[name] {
		case ofPlace:
			fits = r.mayName(t, k, t.change.places)
		case ofPerson:
			fits = r.mayName(t, k, t.change.people)
		case ofName:
			fits = !t.change.capitals || r.mayName(t, k, t.change.people)
		case ofFirm:
			fits = !r.m.tokens[k.start].digits && !r.is(t, k.start, t.change.links)
		case ofVenture:
			c, ok := t.named[changeScope+"venture"]
			fits = !ok || r.mayName(t, k, c)
		case ofManner:
			fits = !r.hasEntry(t, k, t.articles)
		}
		if fits {
			continue
		}
		if !t.namesKin(f) || !r.isAside(t, k) {
			return true
		}
		*k = captured{} // "my father also passed away" names no father
	}
	return false
}

// isAside tells whether a capture has only words that may stand between two words of a pattern, or
// that begin a restricting clause.
func (r *reader) isAside(t *table, k *captured) bool {
	for j := k.start; j < k.end; {
		n := t.span(r.m.tokens[:k.end], j, t.skips)
		if m := t.span(r.m.tokens[:k.end], j, t.restricts); max(n, m) == 0 {
			return false
		}
		j += max(n, 1)
	}
	return true
}

// maxPlace is how many words behind a job tell where it is: "editor of the wiki".
const maxPlace = 3

// isRole tells whether what a capture names is a role in a game or a forum, as it says itself or in
// the words behind it.
func (r *reader) isRole(t *table, k *captured) bool {
	end := k.end
	for end < len(r.m.tokens) && end < k.end+maxPlace && r.m.tokens[end].kind == word {
		end++
	}
	role := &captured{start: k.start, end: end}
	return r.hasEntry(t, role, t.change.games) || r.hasEntry(t, role, t.change.forums)
}

// namesKin tells whether an entry of a match names a relative or partner: a name beside it says no
// more than who that is.
func (t *table) namesKin(f *found) bool {
	return slices.ContainsFunc(f.captures[:], func(k captured) bool { return k.entry && slices.Contains(t.change.kin, k.class) })
}

// mayName tells whether a capture may be a name, or has a word of a class. A name has a capital
// letter, or is a word of no class; where all nouns have capitals, it has no article.
func (r *reader) mayName(t *table, k *captured, class classID) bool {
	if t.classes[class].words == 0 || r.hasEntry(t, k, class) {
		return true
	}
	if !t.change.capitals {
		return !r.isBehindArticle(t, k)
	}
	first := k.end-k.start <= maxSmallName
	for j := k.start; j < k.end; j++ {
		tok := &r.m.tokens[j]
		if tok.kind != word {
			continue
		}
		if tok.capital && !strings.ContainsAny(r.msg.Text[tok.start:tok.end], "0123456789") {
			return true
		}
		if first && *t.memberOf(tok.id) == (classSet{}) || t.isNamed(tok) || t.isCapitalized(tok) {
			return true
		}
		first = false
	}
	return false
}

// maxSmallName is of how many words a name is that somebody writes without a capital.
const maxSmallName = 2

// goesOnToThing tells whether a capture at the end of a match has only an article, and the noun
// behind it is no name of a person: "me casé con la idea".
func (r *reader) goesOnToThing(t *table, f *found, k *captured) bool {
	if k.end != f.end || f.end >= len(r.m.tokens) || r.m.tokens[f.end].kind != word || !r.is(t, k.end-1, t.articles) {
		return false
	}
	return !r.mayName(t, &captured{start: f.end, end: f.end + 1}, t.change.people) && !r.isKin(t, f.end)
}

// isBehindArticle tells whether an article stands before a capture, or before an adjective in front
// of it, or begins it: "von meiner alten Couch".
func (r *reader) isBehindArticle(t *table, k *captured) bool {
	for j := max(k.start-2, 0); j <= k.start; j++ {
		if r.is(t, j, t.articles) && (j >= k.start-1 || !r.is(t, k.start-1, t.change.links) && !r.isKin(t, k.start-1)) {
			return true
		}
	}
	return false
}

// isCapitalized tells whether a word stands for a name in the table: spain.
func (t *table) isCapitalized(tok *token) bool {
	for c := range t.classes {
		if t.is(tok, classID(c)) && beginsUpper(t.stands[t.meanings.Step(int32(c), tok.id)]+" ") { //nolint:gosec // at most maxClasses
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
		if n := t.span(r.m.tokens[:k.end], j, class); n > 0 {
			return true
		}
	}
	return false
}
