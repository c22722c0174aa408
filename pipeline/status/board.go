package status

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"

	"github.com/pamline/pamline/pipeline/queue"
)

// Board is where the progress of drops can be read. Progress iterates over the reports of an owner
// and a drop; "" stands for all. The reports are in no order.
type Board interface {
	Progress(ctx context.Context, owner, drop string) iter.Seq2[Progress, error]
}

// BucketBoard reads the reports of all workers of a cluster. It writes nothing.
type BucketBoard struct {
	Queue  *queue.Queue
	Bucket string
}

// Progress implements Board.
func (b BucketBoard) Progress(ctx context.Context, owner, drop string) iter.Seq2[Progress, error] {
	return func(yield func(Progress, error) bool) {
		for e, err := range b.Queue.Entries(ctx, b.Bucket, cmp.Or(owner, "*")+"."+cmp.Or(drop, "*")) {
			if err != nil {
				yield(Progress{}, err)
				return
			}
			var p Progress
			if json.Unmarshal(e.Value, &p) != nil || p.V != progressVersion || p.key() != e.Key {
				continue // of another version
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

func (p Progress) key() string { return p.Owner + "." + p.Drop }
