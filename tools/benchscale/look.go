package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/state"
)

// streams are those whose length is watched.
var streams = []string{dispatch.StreamEvents, dispatch.StreamTake, dispatch.StreamIngest, dispatch.StreamExtract, dispatch.StreamAssemble}

// sample looks at the queues twice a second.
func (b *bench) sample(ctx context.Context) {
	for {
		var published uint64
		for _, name := range streams {
			s, err := b.js.Stream(ctx, name)
			if err != nil {
				continue // not made yet, or at the end
			}
			state := s.CachedInfo().State
			published += state.LastSeq
			b.f.queues[name] = max(b.f.queues[name], state.Msgs)
		}
		b.f.messages = max(b.f.messages, published)
		select {
		case <-ctx.Done():
			return
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// usage is the processor time so far, by stage and server; it notes the memory, too.
func (b *bench) usage() (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	add := func(name string, cpu time.Duration, peak int64, err error) error {
		out[name] += cpu
		b.f.peak[name] = max(b.f.peak[name], peak)
		return err
	}
	for _, w := range b.c.Workers {
		cpu, peak, err := w.Usage()
		if err := add(w.Stage, cpu, peak, err); err != nil {
			return nil, err
		}
	}
	for _, n := range b.c.Broker.Nodes {
		cpu, peak, err := n.Usage()
		if err := add("nats", cpu, peak, err); err != nil {
			return nil, err
		}
	}
	cpu, peak, err := b.c.Gateway.Usage()
	return out, add("s3", cpu, peak, err)
}

// check looks whether every owner has all conversations.
func (b *bench) check(ctx context.Context) error {
	store, err := b.c.Gateway.Open(ctx, false)
	if err != nil {
		return err
	}
	for i := range b.owners {
		rc, _, err := store.Get(ctx, "owners/"+ownerName(i)+"/head.json", blob.Range{})
		if err != nil {
			return fmt.Errorf("look at the store of %s: %w", ownerName(i), err)
		}
		var h state.Head
		err = json.NewDecoder(rc).Decode(&h)
		_ = rc.Close() // only read
		if err != nil {
			return fmt.Errorf("look at the store of %s: %w", ownerName(i), err)
		}
		if want := int64(b.drops * b.conversations); h.ConversationCount != want {
			return fmt.Errorf("the store of %s has %d conversations of %d", ownerName(i), h.ConversationCount, want)
		}
	}
	return nil
}

func printHeader() {
	fmt.Printf("%7s %9s %9s %9s %9s %9s %9s %8s %8s %8s  %s\n", "workers", "seconds", "imports/s", "CPU ms", "NATS ms", "S3 ms", "messages", "p50 s", "p95 s", "max s", "CPU by stage, most waiting, S3 requests an import, memory")
}

// row is a line below printHeader's.
func (f figures) row(workers int) string {
	n := float64(f.imports)
	own := f.cpu["ingest"] + f.cpu["extract"] + f.cpu["assemble"]
	per := func(d time.Duration) float64 { return 1000 * d.Seconds() / n }
	return fmt.Sprintf("%7d %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %8.1f %8.1f %8.1f  %s\n", workers, f.wall.Seconds(), n/f.wall.Seconds(),
		per(own), per(f.cpu["nats"]), per(f.cpu["s3"]), float64(f.messages)/n, f.delay(0.5), f.delay(0.95), f.delay(1), f.more())
}

func (f figures) beside(workers int, big int64) string {
	what := "alone"
	if big > 0 {
		what = fmt.Sprintf("beside one of %.1f GB, which took %.0f s", float64(f.bigSize)/1e9, f.big.Seconds())
	}
	return fmt.Sprintf("%d workers of each kind, %d small drops %s\n  delay p50 %.1f s, p95 %.1f s, max %.1f s; %s\n", workers, f.imports, what, f.delay(0.5), f.delay(0.95), f.delay(1), f.more())
}

// delay is that of a share of the drops, in seconds.
func (f figures) delay(share float64) float64 {
	if len(f.delays) == 0 {
		return 0
	}
	return f.delays[min(len(f.delays)-1, int(share*float64(len(f.delays))))].Seconds()
}

func (f figures) more() string {
	var out []string
	for _, s := range []string{"ingest", "extract", "assemble"} {
		out = append(out, fmt.Sprintf("%s %.1f ms", s, 1000*f.cpu[s].Seconds()/float64(max(1, f.imports))))
	}
	for _, s := range streams {
		out = append(out, fmt.Sprintf("%s %d", strings.ToLower(strings.TrimPrefix(s, "PAM_")), f.queues[s]))
	}
	for _, m := range []string{"GET", "HEAD", "PUT", "DELETE", "POST", "LIST"} {
		out = append(out, fmt.Sprintf("%s %.1f", m, float64(f.requests[m])/float64(max(1, f.imports))))
	}
	for _, s := range []string{"ingest", "extract", "assemble", "nats", "s3"} {
		out = append(out, fmt.Sprintf("%s %d MB", s, f.peak[s]/1e6))
	}
	return strings.Join(out, ", ")
}
