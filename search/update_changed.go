package search

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/pamio"
)

// changedTalk is a conversation that is new or has changed, with its rows. err says why its file
// could not be read.
type changedTalk struct {
	entry *pamio.IndexEntry
	rows  rows
	err   error
}

// batchBytes is how much text is handed on at once. Conversations are short, and each handing on
// takes as long as writing a few of their messages.
const batchBytes = 512 << 10

// readChanged reads the conversations that are new or have changed, the oldest first: later rows
// are newer. The next ones are read while some are written, which takes longer.
func (u *update) readChanged(ctx context.Context) error {
	both, inner := errgroup.WithContext(ctx)
	next := make(chan []changedTalk)
	both.Go(func() error {
		defer close(next)
		return u.readAhead(inner, next)
	})
	both.Go(func() error {
		for batch := range next {
			for i := range batch {
				if err := u.replace(ctx, &batch[i]); err != nil {
					return err
				}
				batch[i].rows = rows{} // its memory is free for the next batch
				u.count()
			}
		}
		return nil
	})
	return both.Wait()
}

// readAhead reads conversations in the order of their times.
func (u *update) readAhead(ctx context.Context, next chan<- []changedTalk) error {
	var batch []changedTalk
	var size int64
	send := func() error {
		select {
		case next <- batch:
			batch, size = nil, 0
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p := partReader{bundle: u.bundle}
	for r, err := range u.changed.Sorted() {
		if err != nil {
			return err
		}
		t := changedTalk{}
		if t.entry, err = pamio.ParseIndexEntry(r.Value); err != nil {
			return err
		}
		title, ref := placeOf(t.entry)
		t.rows, t.err = p.read(t.entry, ref, title)
		batch = append(batch, t)
		if size += t.rows.size; size < batchBytes {
			continue
		}
		if err := send(); err != nil {
			return err
		}
	}
	return send()
}

// replace puts new rows in the place of those of a conversation. The driver starts a goroutine for
// each statement that can be canceled, so only the whole is.
func (u *update) replace(ctx context.Context, t *changedTalk) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	title, ref := placeOf(t.entry)
	if t.err != nil {
		// What cannot be read is tried again by the next update, and its title can be found.
		u.Unreadable++
		ref = ""
	}
	r := &t.rows
	if err := u.forget(ctx, t.entry.ID, title, r.texts); err != nil {
		return err
	}
	for i, words := range r.rows {
		if words == "" {
			continue
		}
		if _, err := u.addWords.ExecContext(ctx, u.next+int64(i), words); err != nil {
			return err
		}
	}
	_, err := u.addTalk.ExecContext(ctx, u.next, t.entry.ID, ref, t.entry.Platform, title,
		knownTime(t.entry.Temporal.CreatedAt), len(r.rows)-1, r.earliest, r.latest, r.roles, r.texts, r.places)
	if err == nil && len(r.pairs) > 0 {
		_, err = u.addPairs.ExecContext(ctx, u.next, r.pairs)
	}
	if err != nil {
		return err
	}
	u.next += int64(len(r.rows))
	u.Read++
	return u.commit(ctx, r.size)
}
