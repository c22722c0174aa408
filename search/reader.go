package search

import (
	"cmp"
	"slices"

	"github.com/pamline/pamline/pamio"
)

// reader looks into conversations for the words of a query. It is used by one goroutine.
type reader struct {
	bundle *pamio.Bundle
	query  *Query
	o      *Options
	loose  looseness
	// isMany: so many rows have the words that a few messages of each conversation do.
	isMany bool
	*scratch
}

// scratch is the memory that a reader uses again: for a file, and for the words of a text.
type scratch struct {
	buffer []byte
	tokens []token
}

// maxScratch is how large memory of a file and a text may be to be kept, in bytes and words.
const maxScratch = 1 << 20

// trim gives up the memory of rare long files.
func (s *scratch) trim() {
	if cap(s.buffer) > maxScratch {
		s.buffer = nil
	}
	if cap(s.tokens) > maxScratch/32 {
		s.tokens = nil
	}
}

// read looks into the title and the messages of a conversation that have the words.
func (r *reader) read(c *candidate) error {
	base := Hit{Match: looseNames[r.loose], Conversation: c.name, Provider: c.provider, Title: c.title, Date: c.created}
	inTitle := r.match(base.Title)
	if c.hasTitle && r.o.wants(KindTitle) && r.fits(&inTitle) {
		h := base
		h.Kind, h.at, h.order = kindNames[KindTitle], unixTime(base.Date), -1
		if r.o.holds(h.at) {
			h.score, h.Snippet = inTitle.score(r.loose)+weightBest, inTitle.snippet(base.Title)
			c.hits = append(c.hits, h)
		}
	}
	if c.ref == "" || len(c.messages) == 0 || !r.o.wants(KindMessage) && !r.o.wants(KindAsset) {
		return nil
	}
	at, err := r.open(c)
	if err != nil {
		return err
	}
	base.Branches = at.branches
	for _, i := range r.chosen(c, at.messages) {
		m, err := pamio.ParseMessage(r.buffer[at.messages[i].Start:at.messages[i].End])
		if err != nil {
			return err
		}
		base.Branch = at.branchOf(i)
		r.message(base, m, i, c, &inTitle)
	}
	return nil
}

// When more rows than manyRows have the words, the shortest messages of each conversation stand for
// all of them, so many.
const (
	manyRows        = 500
	perConversation = 6
)

// chosen are the messages of a conversation to look into.
func (r *reader) chosen(c *candidate, all []pamio.Place) []int {
	list := slices.DeleteFunc(c.messages, func(i int) bool { return i >= len(all) })
	if r.o.ByTime || r.o.Limit == 0 || !r.isMany || r.query.hasPhrase() || len(list) <= perConversation {
		return list
	}
	c.isCut = true
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(all[a].End-all[a].Start, all[b].End-all[b].Start) })
	return list[:perConversation]
}

// fits tells whether enough of the query was found.
func (r *reader) fits(in *found) bool {
	n := in.terms()
	return !in.excluded && (n == len(r.query.wanted) || n > 0 && r.loose == anyForm)
}

// match looks for the words in a text.
func (r *reader) match(text string) found {
	f := r.query.matchWith(r.tokens, text, r.loose)
	r.tokens = f.list[:0]
	return f
}

// message adds a message whose text has the words, and its files whose names have them.
func (r *reader) message(h Hit, m *pamio.Message, place int, c *candidate, inTitle *found) {
	if r.o.Role != "" && m.Role != r.o.Role {
		return
	}
	h.Message, h.Role, h.order = m.ID, m.Role, place
	if at := knownTime(m.CreatedAt); at != "" {
		h.Date = at
	}
	if h.at = unixTime(h.Date); !r.o.holds(h.at) {
		return
	}
	best := weightBest * c.weight / 3
	if text := messageText(m); r.o.wants(KindMessage) && text != "" {
		if in := r.match(text); r.fits(&in) {
			hit := h
			hit.Kind, hit.score = kindNames[KindMessage], in.score(r.loose)+best+roleWeights[m.Role]+weightTitle*float64(inTitle.terms())/float64(len(inTitle.places))
			if m.IsThought {
				hit.score += weightThought
			}
			hit.Snippet = in.snippet(text)
			c.hits = append(c.hits, hit)
		}
	}
	if names := assetNames(m); r.o.wants(KindAsset) && names != "" {
		if in := r.match(names); r.fits(&in) {
			h.Kind, h.score, h.Snippet = kindNames[KindAsset], in.score(r.loose)+best, in.snippet(names)
			c.hits = append(c.hits, h)
		}
	}
}

// open reads the file of a conversation into the buffer, and tells the places of its messages. The
// index has them if the file cannot have changed since.
func (r *reader) open(c *candidate) (p places, err error) {
	if r.buffer, err = r.bundle.ReadFile(r.buffer, c.ref, maxConversation); err != nil {
		return p, err
	}
	if isContentName(c.ref) {
		return unpackPlaces(c.places, len(r.buffer))
	}
	doc, list, err := pamio.ParsePlaced(r.buffer)
	if err != nil {
		return p, err
	}
	return placesOf(doc, list), nil
}
