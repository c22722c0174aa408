package assemble

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// conversations makes the conversation files and leaves an entry for each in the sorter, by
// conversation id.
type conversations struct {
	in      Input
	out     Output
	o       Options
	entries *collector
	stats   *Stats
	// accounts count for single imports; nil for none.
	accounts *importAccounts
	weight   *semaphore.Weighted // bytes of documents in memory
	jobs     chan job
}

// job is work for one goroutine: a conversation to fold, or snapshots of one pack to copy.
type job struct {
	fold   group
	entry  entry
	copies []copied
}

// copied is a snapshot that becomes a file as it is.
type copied struct {
	snapshot Snapshot
	entry    entry
}

// A job reads at most this much of a pack.
const (
	maxCopies    = 1000
	maxCopyBytes = 64 << 20
)

func (c *conversations) run(ctx context.Context, sorted *extsort.Sorter) error {
	work, ctx := errgroup.WithContext(ctx)
	c.jobs = make(chan job)
	for range c.o.Workers {
		work.Go(func() error { return c.worker(ctx) })
	}
	work.Go(func() error {
		defer close(c.jobs)
		reads := extsort.New(c.o.Scratch, c.o.Budget/4)
		err := c.plan(ctx, groups(sorted.Sorted()), reads)
		if err == nil {
			err = c.copyPacks(ctx, reads)
		}
		return errors.Join(err, reads.Close())
	})
	return work.Wait()
}

// plan compares the groups with the head: unchanged files are taken over, folds start at once, and
// single snapshots are sorted by where they lie.
func (c *conversations) plan(ctx context.Context, all iter.Seq2[group, error], reads *extsort.Sorter) error {
	head := newMerger(c.in.Previous(ctx), func(f Folded) string { return f.Conversation })
	defer head.stop()
	if err := c.accounts.begin(); err != nil {
		return fmt.Errorf("count conversations of imports: %w", err)
	}
	var key, value []byte
	for g, err := range all {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		c.stats.Conversations++
		c.stats.Distinct += int64(len(g))
		if len(g) > 1 {
			c.stats.Folded++
		}
		old, known, err := head.find(g[0].Conversation)
		if err != nil {
			return fmt.Errorf("read fold index of the head: %w", err)
		}
		e := newEntry(g, g.key())
		change := ""
		switch {
		case known && old.Key == e.Key && names(old.Ref, e.Conversation):
			if len(g) > 1 {
				e.Folded = old
			}
			e.Ref = old.Ref
			c.stats.Unchanged++
			if err := errors.Join(c.accounts.count(g, change), c.entries.add(&e)); err != nil {
				return err
			}
			continue
		case known:
			c.stats.Changed++
			change = ConversationGrown
		default:
			c.stats.New++
			change = ConversationNew
		}
		if err := c.accounts.count(g, change); err != nil {
			return err
		}
		if len(g) > 1 {
			if err := c.send(ctx, job{fold: g, entry: e}); err != nil {
				return err
			}
			continue
		}
		key = tupleInt(tupleString(key[:0], g[0].Pack), g[0].Offset)
		value = packString(g[0].pack(value[:0]), e.Key)
		if err := reads.Add(key, value); err != nil {
			return fmt.Errorf("sort reads: %w", err)
		}
	}
	if err := head.drain(); err != nil {
		return fmt.Errorf("read fold index of the head: %w", err)
	}
	c.stats.Removed = head.passed
	return nil
}

// copyPacks hands out the single snapshots, pack by pack in the order of their offsets.
func (c *conversations) copyPacks(ctx context.Context, reads *extsort.Sorter) error {
	var next job
	var size int64
	flush := func() error {
		if len(next.copies) == 0 {
			return nil
		}
		j := next
		next, size = job{}, 0
		return c.send(ctx, j)
	}
	for r, err := range reads.Sorted() {
		if err != nil {
			return fmt.Errorf("sort reads: %w", err)
		}
		u := unpacker{left: r.Value}
		s := u.snapshot()
		k := u.string()
		if u.err != nil {
			return fmt.Errorf("sort reads: %w", u.err)
		}
		if n := len(next.copies); n > 0 {
			last := &next.copies[n-1].snapshot
			if last.Pack != s.Pack || n == maxCopies || size+s.memory() > maxCopyBytes {
				if err := flush(); err != nil {
					return err
				}
			} else if last.Offset == s.Offset {
				return fmt.Errorf("read snapshot index: conversations %s and %s lie at the same offset %d of pack %s",
					last.Conversation, s.Conversation, s.Offset, s.Pack)
			}
		}
		next.copies = append(next.copies, copied{s, newEntry(group{s}, k)})
		size += s.memory()
	}
	return flush()
}

func (c *conversations) send(ctx context.Context, j job) error {
	select {
	case c.jobs <- j:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *conversations) worker(ctx context.Context) error {
	b := newBatch(c.o, c.out)
	for j := range c.jobs {
		var err error
		if j.fold != nil {
			err = c.foldOne(ctx, b, j.fold, j.entry)
		} else {
			err = c.copyMany(ctx, b, j.copies)
		}
		if err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return b.flush(ctx)
}

// admit waits until n more bytes of documents may be in memory. A document beyond the whole bound
// goes alone.
func (c *conversations) admit(ctx context.Context, n int64) (release func(), err error) {
	n = min(n, c.o.InFlight)
	if err := c.weight.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { c.weight.Release(n) }, nil
}

// names tells whether ref is the name of a file of this conversation.
func names(ref, conversation string) bool {
	digest, ok := strings.CutPrefix(ref, pamio.ConversationsFolder+"/"+fileStem(conversation)+".")
	return ok && len(digest) == len("0123456789abcdef.json") && strings.HasSuffix(digest, ".json")
}
