package web

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/search"
)

// prepareSearch brings the search index up to date with a catalog, so that the first search need
// not wait. If it fails, the search says why.
func (s *shelf) prepareSearch(c *catalog) {
	s.searching.Lock()
	defer s.searching.Unlock()
	_ = s.openIndex(context.Background(), c)
}

// Published brings the search index of an owner up to date with the current export: what is new can
// be found, and what was erased is gone from the file.
func (p *Page) Published(ctx context.Context, owner string) error {
	if p.o.SearchFolder == "" {
		return nil
	}
	s := p.shelves.of(owner)
	// The head of now, as long as nobody drops the index: of an earlier one, something may have
	// been erased.
	s.searching.Lock()
	defer s.searching.Unlock()
	head, _, err := state.ReadHead(ctx, p.o.Store, owner)
	if err != nil || head.ExportID == "" {
		return err
	}
	s.mu.Lock()
	isShown := s.current != nil
	s.mu.Unlock()
	if isShown {
		s.refresh(head)
		return nil
	}
	bundle, err := pamio.NewBundle(exportFS{ctx: ctx, store: p.o.Store, owner: owner, head: head})
	if err != nil {
		return err
	}
	x, _, err := search.OpenCurrent(ctx, s.searchPath, bundle, head.Store, nil)
	if err != nil {
		return err
	}
	return x.Close()
}

// lockSearch waits for the index, which may be in the making.
func (s *shelf) lockSearch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience.Index)
	defer cancel()
	for !s.searching.TryLock() {
		select {
		case <-ctx.Done():
			return errOpening
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// openIndex opens the index and brings it up to date. An index whose file another process holds, or
// cannot be written, is replaced by one in memory.
func (s *shelf) openIndex(ctx context.Context, c *catalog) error {
	if s.index != nil && s.indexed == c.head.Store {
		return nil
	}
	if s.index != nil {
		if _, err := s.index.Update(ctx, c.bundle, c.head.Store, nil); err == nil {
			s.indexed = c.head.Store
			return nil
		}
		err := s.index.Close()
		s.index = nil
		if err != nil {
			return err
		}
	}
	x, _, err := search.OpenCurrent(ctx, s.searchPath, c.bundle, c.head.Store, nil)
	if errors.Is(err, search.ErrCache) && s.searchPath != "" {
		x, _, err = search.OpenCurrent(ctx, "", c.bundle, c.head.Store, nil)
	}
	if err != nil {
		return err
	}
	s.index, s.indexed = x, c.head.Store
	return nil
}

// Forget drops what the page keeps of an owner: what it has read, and the search index.
func (p *Page) Forget(owner string) error {
	s := p.shelves.of(owner)
	return errors.Join(s.forget(), s.dropIndex())
}

// dropIndex removes the index of an owner whose store is gone.
func (s *shelf) dropIndex() error {
	s.searching.Lock()
	defer s.searching.Unlock()
	var err error
	if s.index != nil {
		err = s.index.Close()
		s.index, s.indexed = nil, ""
	}
	if s.searchPath != "" {
		err = errors.Join(err, search.Remove(s.searchPath))
	}
	return err
}

// find searches the store of a catalog.
func (s *shelf) find(ctx context.Context, c *catalog, q search.Query, o search.Options) (search.Result, error) {
	if err := s.lockSearch(ctx); err != nil {
		return search.Result{}, err
	}
	defer s.searching.Unlock()
	for again := false; ; again = true {
		if err := s.openIndex(ctx, c); err != nil {
			return search.Result{}, err
		}
		found, err := s.index.Find(ctx, c.bundle, q, o)
		if err == nil || again || ctx.Err() != nil || !errors.Is(err, search.ErrDamaged) && !errors.Is(err, search.ErrCache) {
			return found, err
		}
		err = s.index.Close()
		s.index = nil
		if err == nil && s.searchPath != "" {
			err = search.Remove(s.searchPath)
		}
		if err != nil {
			return found, fmt.Errorf("replace search index: %w", err)
		}
	}
}
