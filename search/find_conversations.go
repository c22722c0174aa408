package search

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// A search reads conversations in batches, and no more than maxRead, or so many for each hit: words
// of a phrase that many messages have apart from each other would make it read them all.
const (
	batch       = 24
	maxRead     = 240
	readsPerHit = 10
	maxReaders  = 4
)

// maxFiltered is how many conversations a search for a phrase looks at the pair filters of.
const maxFiltered = 4000

// conversations searches titles, messages and assets. By time, older rows are asked for as long as
// they may have newer hits; for a phrase, as long as there are too few hits.
func (f *finding) conversations(ctx context.Context, loose looseness) (err error) {
	defer func() { err = errors.Join(err, f.closeReading()) }()
	if err := f.prepareReading(ctx); err != nil {
		return err
	}
	newest := int64(math.MaxInt64)
	for enough := enoughRows; ; enough *= 4 {
		all, older, err := f.candidates(ctx, loose, enough, newest)
		if err != nil {
			return err
		}
		done, err := f.readAll(ctx, all, loose)
		if err != nil {
			return err
		}
		isPhrase := f.isPhrase(loose)
		if older == 0 || !f.o.ByTime && (done || !isPhrase && len(all) >= batch) {
			f.more = f.more || older > 0
			return nil
		}
		if isPhrase && !f.o.ByTime {
			newest = older
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
	for most > 0 && len(all) > 0 {
		if f.isEnough(len(f.hits)-before, &all[0]) {
			f.more = true
			return true, nil
		}
		var list []candidate
		if list, all, err = f.nextBatch(ctx, all, loose, min(batch, most)); err != nil {
			return false, err
		}
		if len(list) == 0 {
			break
		}
		if err := f.readBatch(ctx, list, loose); err != nil {
			return false, err
		}
		most -= len(list)
	}
	f.more = f.more || len(all) > 0
	return len(all) > 0, nil
}

// nextBatch cuts off the next candidates to read. Those of a phrase must pass their pair filters.
func (f *finding) nextBatch(ctx context.Context, all []candidate, loose looseness, size int) (list, rest []candidate, err error) {
	if !f.isPhrase(loose) {
		size = min(size, len(all))
		return all[:size], all[size:], nil
	}
	for len(all) > 0 && len(list) < size && f.filtered < maxFiltered {
		c := all[0]
		all = all[1:]
		f.filtered++
		if c.messages, err = f.readPassing(ctx, &c); err != nil {
			return nil, nil, err
		}
		if c.hasTitle || len(c.messages) > 0 {
			list = append(list, c)
		}
	}
	return list, all, nil
}

// isPhrase tells whether messages must have the pairs of a phrase.
func (f *finding) isPhrase(loose looseness) bool { return len(f.pairs) > 0 && loose != anyForm }

// readPassing gives the messages of a candidate that pass their pair filters.
func (f *finding) readPassing(ctx context.Context, c *candidate) (messages []int, err error) {
	if len(c.messages) == 0 {
		return nil, nil
	}
	rows, err := f.filters.QueryContext(context.WithoutCancel(ctx), c.base)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	messages = c.messages
	var filters sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&filters); err != nil {
			return nil, err
		}
		messages = passingMessages(messages, filters, f.pairs)
	}
	return messages, rows.Err()
}

// prepareReading prepares what is asked for each candidate. The driver starts a goroutine for each
// query that can be canceled, so these cannot.
func (f *finding) prepareReading(ctx context.Context) (err error) {
	f.talk, err = f.conn.PrepareContext(ctx, `SELECT name, ref, platform, title, created, places FROM conversations WHERE base=?`)
	if err != nil {
		return err
	}
	f.filters, err = f.conn.PrepareContext(ctx, `SELECT filters FROM pairs WHERE base=?`)
	return err
}

// closeReading closes what was prepared.
func (f *finding) closeReading() (err error) {
	for _, s := range []*sql.Stmt{f.talk, f.filters} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	f.talk, f.filters = nil, nil
	return err
}

// readBatch reads conversations side by side, and adds their hits in their order.
func (f *finding) readBatch(ctx context.Context, list []candidate, loose looseness) error {
	for i := range list {
		c := &list[i]
		row := f.talk.QueryRowContext(context.WithoutCancel(ctx), c.base)
		if err := row.Scan(&c.name, &c.ref, &c.provider, &c.title, &c.created, &c.places); err != nil {
			return err
		}
	}
	workers, next := &errgroup.Group{}, atomic.Int64{}
	n := min(len(list), maxReaders, runtime.GOMAXPROCS(0))
	for len(f.scratch) < n {
		f.scratch = append(f.scratch, scratch{})
	}
	for i := range n {
		workers.Go(func() error {
			r := reader{bundle: f.bundle, query: f.query, o: f.o, loose: loose, isMany: f.matched > manyRows, scratch: &f.scratch[i]}
			defer r.trim()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return nil
				}
				if err := errors.Join(ctx.Err(), r.read(&list[i])); err != nil {
					return err
				}
			}
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	for i := range list {
		for _, h := range list[i].hits {
			f.add(h)
		}
		f.more = f.more || list[i].isCut
		list[i].hits = nil
	}
	return nil
}

// isEnough tells whether later candidates matter no more: by time, when the hits so far are newer
// than anything that is left; by relevance, when there are as many as were asked for.
func (f *finding) isEnough(hits int, next *candidate) bool {
	if f.o.Limit == 0 || hits < f.o.Limit {
		return false
	}
	return !f.o.ByTime || f.countNewer(next.latest) >= f.o.Limit
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
