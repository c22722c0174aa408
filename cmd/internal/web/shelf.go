package web

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/search"
)

// Errors of stores that cannot be shown now.
var (
	errNoStore = errors.New("there is no store of that owner yet")
	errOpening = errors.New("the store is being read")
)

// shelves are the stores that are shown, one for each owner.
type shelves struct {
	store        blob.Store
	searchFolder string
	patience     Patience

	mu  sync.Mutex
	all map[string]*shelf
}

// of is the shelf of an owner.
func (s *shelves) of(owner string) *shelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[owner]
	if one == nil {
		one = &shelf{store: s.store, owner: owner, patience: s.patience}
		if s.searchFolder != "" {
			one.searchPath = filepath.Join(s.searchFolder, owner+".db")
		}
		s.all[owner] = one
	}
	return one
}

// Close closes what the shelves hold.
func (s *shelves) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, one := range s.all {
		one.searching.Lock()
		if one.index != nil {
			err = errors.Join(err, one.index.Close())
			one.index = nil
		}
		one.searching.Unlock()
	}
	return err
}

// shelf is the store of one owner, as it is shown.
type shelf struct {
	store      blob.Store
	owner      string
	searchPath string
	patience   Patience

	mu      sync.Mutex
	current *catalog
	// reading is closed when the catalog that is being read is there; nil if none is.
	reading chan struct{}
	failed  error

	searching sync.Mutex
	index     *search.Index
	indexed   string // the digest of the store that the index is up to date with

	editing sync.Mutex
	made    []assemble.Edit // the changes by hand, as far as they were read

	counting sync.Mutex
	used     *storageUse // what was counted last
}

// forget lets go of what is kept of the owner's store outside of the store, after an erasure.
func (s *shelf) forget() error {
	s.editing.Lock()
	s.made = nil
	s.editing.Unlock()
	s.counting.Lock()
	s.used = nil
	s.counting.Unlock()
	s.mu.Lock()
	s.current = nil
	s.mu.Unlock()
	head, _, err := state.ReadHead(context.Background(), s.store, s.owner)
	if err == nil && head.ExportID == "" {
		err = s.dropIndex()
	}
	return err
}

// makeCurrent reads the current export, and brings the search index up to date with it.
func (s *shelf) makeCurrent(ctx context.Context) error {
	c, err := s.catalog(ctx, true)
	if err != nil {
		return err
	}
	s.searching.Lock()
	defer s.searching.Unlock()
	return s.openIndex(ctx, c)
}

// warm begins to read the store, if it is not read yet.
func (s *shelf) warm() {
	head, _, err := state.ReadHead(context.Background(), s.store, s.owner)
	if err == nil && head.ExportID != "" {
		s.refresh(head)
	}
}

// refresh begins to read an export; the channel is closed when that is done.
func (s *shelf) refresh(head state.Head) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading != nil {
		return s.reading
	}
	done := make(chan struct{})
	s.reading = done
	go func() {
		c, err := readCatalog(context.Background(), s.store, s.owner, head)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.failed = err; err == nil {
			s.current = c
		}
		s.reading = nil
		close(done)
		if err == nil {
			go s.prepareSearch(c)
		}
	}()
	return done
}

// catalog is that of the owner's current export or, while it is being read, of the one before.
// patientWaits waits until it is the current one.
func (s *shelf) catalog(ctx context.Context, patient bool) (*catalog, error) {
	for {
		head, _, err := state.ReadHead(ctx, s.store, s.owner)
		if err != nil {
			return nil, fmt.Errorf("read head: %w", err)
		}
		if head.ExportID == "" {
			return nil, errNoStore
		}
		s.mu.Lock()
		c := s.current
		s.mu.Unlock()
		if c != nil && c.head.Store == head.Store {
			return c, nil
		}
		done := s.refresh(head)
		limit := time.NewTimer(s.patience.Newer)
		if patient {
			limit.Stop()
		}
		select {
		case <-done:
			limit.Stop()
			s.mu.Lock()
			err := s.failed
			s.mu.Unlock()
			if err != nil {
				return nil, err
			}
		case <-limit.C:
			if c == nil {
				return nil, errOpening
			}
			return c, nil
		case <-ctx.Done():
			limit.Stop()
			return nil, ctx.Err()
		}
	}
}
