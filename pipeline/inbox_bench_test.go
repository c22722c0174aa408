package pipeline

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// crowd is a store of many owners with one drop each, all of which are taken.
type crowd struct {
	blob.Store
	owners int
	ids    []string
}

func (c *crowd) List(_ context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for i := range c.owners {
			owner := fmt.Sprintf("owner-%07d", i)
			switch prefix {
			case state.InboxRoot:
				if !yield(blob.Object{Key: state.DropKey(owner, state.Digest(owner), "drop.json"), Size: 300, ETag: `"x"`}, nil) || !yield(crowdDrop(owner), nil) {
					return
				}
			case state.TakenRoot:
				if !yield(blob.Object{Key: state.TakenKey(owner, c.ids[i])}, nil) {
					return
				}
			}
		}
	}
}

func crowdDrop(owner string) blob.Object {
	return blob.Object{Key: state.InboxPrefix(owner) + "my export.zip", Size: 1 << 20, ETag: `"0123456789abcdef0123456789abcdef"`, ModTime: time.Unix(1_700_000_000, 0)}
}

// BenchmarkPass is the time that a pass takes beside its listings, for each drop.
func BenchmarkPass(b *testing.B) {
	const owners = 100_000
	d := Deps{Inbox: Inbox{Bucket: "drops"}}
	c := &crowd{owners: owners}
	for i := range owners {
		o := crowdDrop(fmt.Sprintf("owner-%07d", i))
		m := unitMaker{u: inboxUnit{lying: d.Inbox.lies(o)}, sum: sha256.New()}
		m.Add(o, d.Inbox.lies(o))
		u, _ := m.done()
		c.ids = append(c.ids, u.id)
	}
	for b.Loop() {
		s := &inboxScan{Deps: d, pass: &InboxPass{}}
		s.Store = c
		next, stop := iter.Pull2(takenRecords(b.Context(), c, state.TakenRoot))
		s.records = recordGroups{next: next}
		if err := s.all(b.Context()); err != nil || s.pass.Known != owners {
			b.Fatal(s.pass, err)
		}
		stop()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/owners, "ns/drop")
}
