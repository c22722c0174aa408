package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/tools/internal/cluster"
)

// poison makes units of work fail until it is taken out again: objects that workers have just
// written vanish, or hold other bytes, before any other worker can read them. A shard whose list is
// not there fails as often as it is tried, one whose pack is damaged at once.
type poison struct {
	mu sync.Mutex
	// owner is whose objects are meant, left how many more, lose whether they vanish.
	owner string
	left  int
	lose  bool
	taken map[string][]byte // key → what it should hold
}

// saw is told of each answer of the S3 server to a worker, before the worker gets it.
func (r *run) saw(q *http.Request, status int) {
	r.writes.saw(q, status)
	if q.Method == http.MethodPut && status == http.StatusOK {
		r.poison.reach(r.quiet, strings.TrimPrefix(q.URL.Path, "/"+cluster.Bucket+"/"))
	}
}

// lay begins to poison n objects of an owner.
func (p *poison) lay(owner string, n int, lose bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owner, p.left, p.lose, p.taken = owner, n, lose, map[string][]byte{}
}

// isOn tells whether objects of an owner are being taken, or are still away.
func (p *poison) isOn(owner string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owner == owner || len(p.taken) > 0
}

// reach takes an object that has been written, or written again, if it is one of those that are
// meant. One that cannot be taken, for the server went away, stays.
func (p *poison) reach(s blob.Store, key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, again := p.taken[key]
	ending := ".s2"
	if p.lose {
		ending = ".jsonl"
	}
	if p.owner == "" || !strings.HasPrefix(key, "owners/"+p.owner+"/imports/") || path.Ext(key) != ending || !again && p.left == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	rc, _, err := s.Get(ctx, key, blob.Range{})
	if err != nil {
		return
	}
	defer rc.Close()
	body, err := io.ReadAll(rc)
	if err != nil {
		return
	}
	if p.lose {
		err = s.Delete(ctx, key)
	} else {
		_, err = s.Put(ctx, key, bytes.NewReader(bytes.Repeat([]byte{0xff}, len(body))), blob.PutOptions{})
	}
	if err == nil && !again {
		p.left--
		p.taken[key] = body
	}
}

// lift restores what was taken, and takes nothing more. It tells how much that was.
func (p *poison) lift(ctx context.Context, s blob.Store) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owner = ""
	for key, body := range p.taken {
		if err := upload(ctx, s, key, body); err != nil {
			return n, err
		}
		delete(p.taken, key)
		n++
	}
	return n, nil
}
