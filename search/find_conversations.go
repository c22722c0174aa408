package search

import (
	"context"
	"errors"
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
	for at := 0; at < most; at += batch {
		if f.isEnough(len(f.hits)-before, &all[at]) {
			f.more = true
			return true, nil
		}
		if err := f.readBatch(ctx, all[at:min(at+batch, most)], loose); err != nil {
			return false, err
		}
	}
	f.more = f.more || most < len(all)
	return most < len(all), nil
}

// readBatch reads conversations side by side, and adds their hits in their order.
func (f *finding) readBatch(ctx context.Context, list []candidate, loose looseness) error {
	for i := range list {
		c := &list[i]
		row := f.conn.QueryRowContext(ctx, `SELECT name, ref, platform, title, created, places FROM conversations WHERE base=?`, c.base)
		if err := row.Scan(&c.name, &c.ref, &c.provider, &c.title, &c.created, &c.places); err != nil {
			return err
		}
	}
	workers, next := &errgroup.Group{}, atomic.Int64{}
	for range min(len(list), maxReaders, runtime.GOMAXPROCS(0)) {
		workers.Go(func() error {
			r := reader{bundle: f.bundle, query: *f.query, o: f.o, loose: loose, isMany: f.matched > manyRows}
			r.query.tokens = nil
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
