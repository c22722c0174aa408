package search

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pamline/pamline/pamio"
)

// Result is what a search found.
type Result struct {
	Hits []Hit
	// More tells that there are, or may be, more hits than were asked for.
	More bool
}

// ErrDamaged is wrapped when the file of an index turns out to be damaged: [Remove] it and open it
// again.
var ErrDamaged = errors.New("the search index is damaged")

// Find searches. Snippets and places are read from the bundle, which the index must be up to date
// with. Hits with all words as they were given come first; if they are few, hits
// with other forms of the words follow; if there is none, hits with some of the words. With a
// vector of the query, memories that mean the same are among them.
func (x *Index) Find(ctx context.Context, b *pamio.Bundle, q Query, o Options) (r Result, err error) {
	f := &finding{Index: x, bundle: b, query: &q, o: &o, has: map[string]bool{}, pairs: q.pairHashes()}
	// In one transaction the file is locked once, and not for each of some thousand questions.
	if err := x.exec(ctx, "BEGIN"); err != nil {
		return r, fmt.Errorf("search: %w", errors.Join(ctx.Err(), cacheError(err)))
	}
	defer func() { err = errors.Join(err, x.exec(context.WithoutCancel(ctx), "ROLLBACK")) }()
	for _, loose := range []looseness{allWords, allForms, anyForm} {
		if loose == anyForm {
			if err := f.meanings(ctx); err != nil {
				return r, fmt.Errorf("search: %w", errors.Join(ctx.Err(), cacheError(err)))
			}
		}
		switch {
		case loose == allForms && o.Limit > 0 && len(f.hits) >= min(few, o.Limit):
			continue
		case loose == allForms && !q.hasForms():
			continue
		case loose == anyForm && (len(f.hits) > 0 || len(q.wanted) == 1):
			continue
		}
		if err := f.find(ctx, loose); err != nil {
			if isDamage(err) {
				err = fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			return r, fmt.Errorf("search: %w", errors.Join(ctx.Err(), cacheError(err)))
		}
	}
	slices.SortStableFunc(f.hits, f.compare)
	if o.Limit > 0 && len(f.hits) > o.Limit {
		f.hits, f.more = f.hits[:o.Limit], true
	}
	return Result{Hits: f.hits, More: f.more}, nil
}

// few hits are so few that other forms of the words are looked for.
const few = 5

// finding is one search.
type finding struct {
	*Index
	bundle *pamio.Bundle
	query  *Query
	o      *Options
	hits   []Hit
	// has are the hits that a stricter search has found.
	has  map[string]bool
	more bool
	// matched is how many rows have the words.
	matched int
	// pairs are those of the query's phrases; filtered counts the conversations whose filters were
	// looked at.
	pairs         []uint64
	filtered      int
	talk, filters *sql.Stmt
}

// compare orders hits: by time, or by how well they fit. Equal ones are in the order in which they
// stand.
func (f *finding) compare(a, b Hit) int {
	if f.o.ByTime {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.score, a.score), byPlace(a, b))
	}
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.at, a.at), byPlace(a, b))
}

func byPlace(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.order, b.order), cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.Kind, b.Kind))
}

// add adds a hit that was not found before.
func (f *finding) add(h Hit) {
	key := h.Kind + "\x00" + h.Conversation + "\x00" + h.Message + "\x00" + h.Memory
	if !f.has[key] {
		f.has[key] = true
		f.hits = append(f.hits, h)
	}
}

func (f *finding) find(ctx context.Context, loose looseness) error {
	if f.o.wants(KindMemory) {
		if err := f.memories(ctx, loose); err != nil {
			return err
		}
	}
	if f.o.wants(KindMessage) || f.o.wants(KindTitle) || f.o.wants(KindAsset) {
		return f.conversations(ctx, loose)
	}
	return nil
}

// maxMemories is how many memories with the words are compared.
const maxMemories = 500

// memoryHit is a memory with the words. Its snippet is cut when it is among the hits.
type memoryHit struct {
	Hit
	content string
	found   found
}

// memories searches memories, the newest first. What FTS5 finds is compared with the content that
// the index keeps.
func (f *finding) memories(ctx context.Context, loose looseness) (err error) {
	first, last, most := int64(0), int64(math.MaxInt64), maxMemories
	if f.o.Since != 0 || f.o.Until != 0 {
		first = max(firstMemory(f.o.Since), firstMemory(0)+1<<memoryBits) // what has no known time is before
	}
	if f.o.Until != 0 {
		last = firstMemory(f.o.Until)
	}
	if f.o.Limit == 0 || f.o.ByTime {
		most = -1
	}
	rows, err := f.conn.QueryContext(ctx, `SELECT m.name, m.content, m.type, m.status, m.platform, m.created, m.at, m.conversation, m.message
		FROM memory_words JOIN memories m ON m.id = memory_words.rowid
		WHERE memory_words MATCH ?1 AND memory_words.rowid BETWEEN ?2 AND ?3 AND (?4 = '' OR m.platform = ?4) ORDER BY memory_words.rowid DESC LIMIT ?5`,
		f.query.memoryExpression(loose), first, last, f.o.Provider, most)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var all []memoryHit
	var tokens []token
	read := 0
	for (f.o.Limit == 0 || !f.o.ByTime || len(all) <= f.o.Limit) && rows.Next() {
		h := Hit{Kind: kindNames[KindMemory], Match: looseNames[loose]}
		var content string
		if err := rows.Scan(&h.Memory, &content, &h.Type, &h.Status, &h.Provider, &h.Date, &h.at, &h.Conversation, &h.Message); err != nil {
			return err
		}
		read++
		if !f.o.holds(h.at) {
			continue
		}
		found := f.query.matchWith(tokens, content, loose)
		tokens, found.list = found.list, nil
		if found.excluded || found.terms() == 0 || loose != anyForm && found.terms() < len(f.query.wanted) {
			continue
		}
		h.score = found.score(loose) + weightMemory
		if h.Status != "active" {
			h.score -= weightMemory
		}
		all = append(all, memoryHit{h, content, found})
	}
	f.more = f.more || read == most
	f.addMemories(all)
	return rows.Err()
}

// addMemories adds the best memories: as many as are asked for, unless what they mean can still
// make others better.
func (f *finding) addMemories(all []memoryHit) {
	slices.SortStableFunc(all, func(a, b memoryHit) int { return f.compare(a.Hit, b.Hit) })
	if f.o.Limit > 0 && len(all) > f.o.Limit && f.o.Vector == nil {
		all, f.more = all[:f.o.Limit], true
	}
	for i := range all {
		m := &all[i]
		m.Snippet = m.found.snippet(m.content)
		f.add(m.Hit)
	}
}
