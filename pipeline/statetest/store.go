// Package statetest has the test doubles of what the pipeline keeps in storage: a store in memory
// that fails, stops or crashes at a chosen call, and a scheduler that runs processes over one store
// in every order of their calls (Explore).
package statetest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pamline/pamline/blob"
)

// ErrCrashed is the error of every call after a crash: the process is dead.
var ErrCrashed = errors.New("process has crashed")

// Call is one call of a store, as a hook sees it.
type Call struct {
	Op  string // get, head, put, delete, list
	Key string // the prefix of a list
}

// IsWrite tells whether the call may change the store.
func (c Call) IsWrite() bool { return c.Op == "put" || c.Op == "delete" }

func (c Call) String() string { return c.Op + " " + c.Key }

// Hook is called before each call of a View. Its error fails the call, which then does nothing.
type Hook func(Call) error

// Store is a consistent store in memory. Like those of S3, its ETags follow from the bytes: an
// object that gets its old bytes back has its old ETag. The zero Store is not ready: use New.
type Store struct {
	mu      sync.Mutex
	objects map[string]object
	sum     uint64
	now     time.Time
	open    func(s *Store, key, body string) string
	through func(blob.Store) blob.Store
}

type object struct {
	body string
	etag string
	sum  uint64 // of key and body
	time time.Time
}

// New gives an empty store whose clock stands at a fixed time.
func New() *Store {
	return &Store{objects: map[string]object{}, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// Clone gives a store with the same objects and clock, without hooks.
func (s *Store) Clone() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Store{objects: maps.Clone(s.objects), sum: s.sum, now: s.now, open: s.open, through: s.through}
}

// View gives the same objects through hooks: before fails a call that is not done; after fails a
// call that is done, so its answer is lost. Either may be nil.
func (s *Store) View(before, after Hook) blob.Store {
	return &view{store: s, before: before, after: after}
}

// Advance moves the clock, which stands still otherwise.
func (s *Store) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// Now is the time by which the next object is written.
func (s *Store) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Sum is a digest of all keys and bytes: equal stores have equal sums.
func (s *Store) Sum() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum
}

// Keys gives all keys with a prefix, in order.
func (s *Store) Keys(prefix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for key := range s.objects {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// OpenWith sets what decrypts an object for Body.
func (s *Store) OpenWith(open func(s *Store, key, body string) string) { s.open = open }

// Body gives the bytes of an object, decrypted if the store is encrypted.
func (s *Store) Body(key string) (body string, ok bool) {
	s.mu.Lock()
	o, ok := s.objects[key]
	s.mu.Unlock()
	switch {
	case ok && s.through != nil:
		return s.bodyThrough(key), true
	case ok && s.open != nil:
		return s.open(s, key, o.body), true
	}
	return o.body, ok
}

// sumOf is the FNV-1a sum of parts with separators.
func sumOf(parts ...string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * prime
		}
		h = (h ^ 0x100) * prime // no byte
	}
	return h
}

func (o object) describe(key string) blob.Object {
	return blob.Object{Key: key, Size: int64(len(o.body)), ETag: o.etag, ModTime: o.time}
}
