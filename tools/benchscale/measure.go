package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/status"
	"github.com/pamline/pamline/tools/internal/cluster"
	"github.com/pamline/pamline/tools/internal/made"
)

const (
	eventsSubject = "pam.events"
	bigOwner      = "large"
	// seeds of the exports; that of the large one is out of the way.
	bigSeed = 1 << 40
	// patience is how long nothing may end before a run counts as stuck.
	patience = 10 * time.Minute
)

// figures are what a run gave.
type figures struct {
	imports  int
	wall     time.Duration
	cpu      map[string]time.Duration // of the workers by stage, of "nats" and "s3"
	peak     map[string]int64         // most bytes of memory of one process
	delays   []time.Duration          // from the end of a drop's upload to the end of its import, ascending
	requests map[string]int           // of S3, by method
	queues   map[string]uint64        // most messages that waited, by stream
	messages uint64                   // that were published to the streams
	big      time.Duration            // that the large drop took
	bigSize  int64
}

// bench is one run.
type bench struct {
	*plan
	c       *cluster.Cluster
	js      jetstream.JetStream
	f       figures
	started time.Time

	mu    sync.Mutex
	put   map[string]time.Time // when the drop lay in the bucket, by owner and digest
	ended map[string]time.Time
	begun map[string]bool // owners of whose drops workers have reported
}

// measure runs one cluster of n workers of each kind. With a large drop the small ones come when it
// is being read.
func (p *plan) measure(ctx context.Context, root string, n int, big int64) (f figures, err error) {
	err = p.onCluster(ctx, root, fmt.Sprintf("%d-%d", n, big), n, func(b *bench) error {
		f, err = b.run(ctx, big)
		return err
	})
	return f, err
}

// onCluster starts a cluster of n workers of each kind in a folder of this name, and ends it.
func (p *plan) onCluster(ctx context.Context, root, name string, n int, do func(b *bench) error) (err error) {
	folder := p.folder
	if folder == "" {
		if folder, err = os.MkdirTemp("", "benchscale-*"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }() // a temporary folder
	} else {
		folder = filepath.Join(folder, name)
	}
	b := &bench{plan: p, put: map[string]time.Time{}, ended: map[string]time.Time{}, begun: map[string]bool{}}
	b.f = figures{cpu: map[string]time.Duration{}, peak: map[string]int64{}, requests: map[string]int{}, queues: map[string]uint64{}}
	programs, err := filepath.Abs(p.programs)
	if err != nil {
		return err
	}
	b.c, err = cluster.Start(ctx, cluster.Options{
		Root: root, Programs: programs, Folder: folder, Nodes: 1, Events: eventsSubject, Observe: b.observe,
		Workers:  map[string]int{"ingest": n, "extract": n, "assemble": n},
		Settings: map[string]any{"log.level": "warn"},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.c.Close()) }()
	nc, err := b.c.Broker.Connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	if b.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(30*time.Second)); err != nil {
		return err
	}
	return do(b)
}

func (b *bench) run(ctx context.Context, big int64) (figures, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watching, err := b.watch(ctx)
	if err != nil {
		return b.f, err
	}
	sampling := make(chan struct{})
	go func() { defer close(sampling); b.sample(ctx) }()
	before, err := b.usage()
	if err != nil {
		return b.f, err
	}
	if big > 0 {
		if err := b.putBig(ctx, big); err != nil {
			return b.f, err
		}
		if err := b.until(ctx, func() bool { return b.begun[bigOwner] }); err != nil {
			return b.f, fmt.Errorf("wait until the large drop is read: %w", err)
		}
	}
	b.mu.Lock()
	b.f.requests = map[string]int{}
	b.mu.Unlock()
	b.started = time.Now()
	if err := b.putSmall(ctx); err != nil {
		return b.f, err
	}
	if err := b.until(ctx, func() bool { return b.f.imports == b.owners*b.drops }); err != nil {
		return b.f, fmt.Errorf("wait for the imports: %w", err)
	}
	b.f.wall = time.Since(b.started)
	if big > 0 {
		if err := b.until(ctx, func() bool { return b.f.big > 0 }); err != nil {
			return b.f, fmt.Errorf("wait for the large drop: %w", err)
		}
	}
	after, err := b.usage()
	if err != nil {
		return b.f, err
	}
	for name, u := range after {
		b.f.cpu[name] = u - before[name]
	}
	cancel()
	<-watching
	<-sampling
	slices.Sort(b.f.delays)
	return b.f, b.check(context.WithoutCancel(ctx))
}

// observe counts the requests of workers: by method, and listings, which cost more, by themselves.
func (b *bench) observe(r *http.Request, _ int) {
	what := r.Method
	if what == http.MethodGet && r.URL.Query().Has("list-type") {
		what = "LIST"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.f.requests[what]++
}

func ownerName(i int) string { return fmt.Sprintf("owner-%06d", i) }

// putSmall puts all small drops into the bucket, which tells NATS of them.
func (b *bench) putSmall(ctx context.Context) error {
	store, err := b.c.Gateway.Open(ctx, true)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i := range b.owners * b.drops {
		g.Go(func() error {
			var body bytes.Buffer
			if err := (made.Export{Seed: uint64(i + 1), Conversations: b.conversations, Facts: 3}).Write(&body); err != nil {
				return err
			}
			sum := sha256.Sum256(body.Bytes())
			who := ownerName(i % b.owners)
			if _, err := store.Put(ctx, fmt.Sprintf("inbox/%s/export-%d.zip", who, i/b.owners), &body, blob.PutOptions{}); err != nil {
				return err
			}
			b.dropped(who, hex.EncodeToString(sum[:]))
			return nil
		})
	}
	return g.Wait()
}

// putBig puts one large drop there: a fiftieth of it conversations, the rest pictures.
func (b *bench) putBig(ctx context.Context, size int64) error {
	store, err := b.c.Gateway.Open(ctx, true)
	if err != nil {
		return err
	}
	r, w := io.Pipe()
	sum := sha256.New()
	var written counter
	go func() {
		n := int(size / 50 / 12_000) // a conversation packs to about 12 kB
		e := made.Export{Seed: bigSeed, Conversations: n, Facts: n / 10, Pictures: size - size/50}
		w.CloseWithError(e.Write(io.MultiWriter(w, sum, &written)))
	}()
	if _, err := store.Put(ctx, "inbox/"+bigOwner+"/export.zip", r, blob.PutOptions{}); err != nil {
		return errors.Join(err, r.CloseWithError(err))
	}
	b.f.bigSize = int64(written)
	b.dropped(bigOwner, hex.EncodeToString(sum.Sum(nil)))
	return nil
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func (b *bench) dropped(owner, digest string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put[owner+"/"+digest] = time.Now()
	b.settle(owner, digest)
}

// watch notes when imports end, as the workers tell. done is closed when ctx has ended.
func (b *bench) watch(ctx context.Context) (done <-chan struct{}, err error) {
	kv, err := b.bucket(ctx)
	if err != nil {
		return nil, err
	}
	w, err := kv.WatchAll(ctx)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for e := range w.Updates() {
			var p status.Progress
			if e == nil || json.Unmarshal(e.Value(), &p) != nil {
				continue
			}
			b.told(p)
		}
	}()
	return ended, nil
}

// bucket waits until a worker has made it.
func (b *bench) bucket(ctx context.Context) (kv jetstream.KeyValue, err error) {
	for range 300 {
		if kv, err = b.js.KeyValue(ctx, dispatch.BucketImports); err == nil {
			return kv, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil, fmt.Errorf("open bucket of progress: %w", err)
}

func (b *bench) told(p status.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begun[p.Owner] = true
	if !p.Ended {
		return
	}
	key := p.Owner + "/" + p.Drop
	if _, twice := b.ended[key]; !twice {
		b.ended[key] = time.Now()
		b.settle(p.Owner, p.Drop)
	}
}

// settle counts a drop of which upload and end are known; either may be heard of first.
func (b *bench) settle(owner, digest string) {
	key := owner + "/" + digest
	put, there := b.put[key]
	ended, over := b.ended[key]
	switch {
	case !there || !over:
	case owner == bigOwner:
		b.f.big = ended.Sub(put)
	default:
		b.f.imports++
		b.f.delays = append(b.f.delays, max(0, ended.Sub(put)))
	}
}

// until waits for what is true under the lock. It gives up when nothing has ended for a long time.
func (b *bench) until(ctx context.Context, done func() bool) error {
	last, at := -1, time.Now()
	for {
		b.mu.Lock()
		ok, n := done(), len(b.ended)
		b.mu.Unlock()
		if ok {
			return nil
		}
		if n != last {
			last, at = n, time.Now()
		}
		if time.Since(at) > patience {
			return fmt.Errorf("nothing has ended for %s; %d imports have", patience, n)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
