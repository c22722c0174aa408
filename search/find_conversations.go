package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/branches"
)

// A search reads conversations in batches, and no more than maxRead, or so many for each hit: words
// of a phrase that many messages have apart from each other would make it read them all.
const (
	batch       = 48
	maxRead     = 200
	readsPerHit = 10
)

// conversations searches titles, messages and assets. By time, older rows are asked for as long as
// they may have newer hits.
func (f *finding) conversations(ctx context.Context, loose looseness) error {
	for enough := enoughRows; ; enough *= 4 {
		all, older, err := f.candidates(ctx, loose, enough)
		if err != nil {
			return err
		}
		done, err := f.readAll(ctx, all, loose)
		if err != nil {
			return err
		}
		if older == 0 || !f.o.ByTime && (done || len(all) >= batch) {
			f.more = f.more || older > 0
			return nil
		}
		if f.o.ByTime && f.countNewer(f.ranges.latestBelow(older)) >= f.o.Limit {
			f.more = true
			return nil
		}
	}
}

// readAll reads candidates until there are enough hits; done tells that there are.
func (f *finding) readAll(ctx context.Context, all []candidate, loose looseness) (done bool, err error) {
	most := len(all)
	if f.o.Limit > 0 {
		most = min(most, max(maxRead, readsPerHit*f.o.Limit))
	}
	before := len(f.hits)
	for i := range all[:most] {
		if f.isEnough(i, len(f.hits)-before, &all[i]) {
			f.more = true
			return true, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := f.conversation(ctx, &all[i], loose); err != nil {
			return false, err
		}
	}
	f.more = f.more || most < len(all)
	return most < len(all), nil
}

// isEnough tells whether later candidates matter no more: by time, when the hits so far are newer
// than anything that is left; by relevance, when a batch gave enough.
func (f *finding) isEnough(read, hits int, next *candidate) bool {
	switch {
	case f.o.Limit == 0 || hits < f.o.Limit:
		return false
	case !f.o.ByTime:
		return read > 0 && read%batch == 0
	}
	return f.countNewer(next.latest) >= f.o.Limit
}

// countNewer counts the hits that are newer than a time.
func (f *finding) countNewer(at int64) (n int) {
	for i := range f.hits {
		if f.hits[i].at > at {
			n++
		}
	}
	return n
}

// conversation looks into the title and the messages of a conversation that have the words.
func (f *finding) conversation(ctx context.Context, c *candidate, loose looseness) error {
	base := Hit{Match: looseNames[loose]}
	var ref string
	row := f.conn.QueryRowContext(ctx, `SELECT name, ref, platform, title, created FROM conversations WHERE base=?`, c.base)
	if err := row.Scan(&base.Conversation, &ref, &base.Provider, &base.Title, &base.Date); err != nil {
		return err
	}
	inTitle := f.query.match(base.Title, loose)
	if c.hasTitle && f.o.wants(KindTitle) && !inTitle.excluded && f.fits(&inTitle, loose) {
		h := base
		h.Kind, h.at, h.order = kindNames[KindTitle], unixTime(base.Date), -1
		if f.o.holds(h.at) {
			h.score, h.Snippet = inTitle.score(loose)+weightBest, inTitle.snippet(base.Title)
			f.add(h)
		}
	}
	if ref == "" || len(c.messages) == 0 || !f.o.wants(KindMessage) && !f.o.wants(KindAsset) {
		return nil
	}
	doc, err := f.open(ref)
	if err != nil {
		return err
	}
	before := len(f.hits)
	for _, i := range f.chosen(c, doc) {
		f.message(base, &doc.Messages[i], i, c, &inTitle, loose)
	}
	if before == len(f.hits) {
		return nil
	}
	tree := branches.Of(doc)
	for i := range f.hits[before:] {
		h := &f.hits[before+i]
		h.Branch, h.Branches = tree.BranchOf(h.order)+1, tree.Count()
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
func (f *finding) chosen(c *candidate, doc *pamio.Conversation) []int {
	list := slices.DeleteFunc(c.messages, func(i int) bool { return i >= len(doc.Messages) })
	if f.o.ByTime || f.o.Limit == 0 || f.matched <= manyRows || len(list) <= perConversation {
		return list
	}
	f.more = true
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(textSize(&doc.Messages[a]), textSize(&doc.Messages[b])) })
	return list[:perConversation]
}

// textSize is how long a message is, about.
func textSize(m *pamio.Message) int {
	if c := m.Content; c != nil && c.Text != nil {
		return len(*c.Text)
	}
	return len(m.PlainText())
}

// fits tells whether enough of the query was found.
func (f *finding) fits(in *found, loose looseness) bool {
	n := in.terms()
	return !in.excluded && (n == len(f.query.wanted) || n > 0 && loose == anyForm)
}

// message adds a message whose text has the words, and its files whose names have them.
func (f *finding) message(h Hit, m *pamio.Message, place int, c *candidate, inTitle *found, loose looseness) {
	if f.o.Role != "" && m.Role != f.o.Role {
		return
	}
	h.Message, h.Role, h.order = m.ID, m.Role, place
	if at := knownTime(m.CreatedAt); at != "" {
		h.Date = at
	}
	if h.at = unixTime(h.Date); !f.o.holds(h.at) {
		return
	}
	best := weightBest * c.weight / 3
	if text := messageText(m); f.o.wants(KindMessage) && text != "" {
		if in := f.query.match(text, loose); f.fits(&in, loose) {
			hit := h
			hit.Kind, hit.score = kindNames[KindMessage], in.score(loose)+best+roleWeights[m.Role]+weightTitle*float64(inTitle.terms())/float64(len(inTitle.places))
			if m.IsThought {
				hit.score += weightThought
			}
			hit.Snippet = in.snippet(text)
			f.add(hit)
		}
	}
	if names := assetNames(m); f.o.wants(KindAsset) && names != "" {
		if in := f.query.match(names, loose); f.fits(&in, loose) {
			h.Kind, h.score, h.Snippet = kindNames[KindAsset], in.score(loose)+best, in.snippet(names)
			f.add(h)
		}
	}
}

// open reads a conversation of the bundle.
func (f *finding) open(ref string) (c *pamio.Conversation, err error) {
	if f.buffer, err = f.bundle.ReadFile(f.buffer, ref, maxConversation); err != nil {
		return nil, err
	}
	return pamio.ParseConversation(f.buffer)
}
