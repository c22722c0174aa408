package pipeline

import (
	"math"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
)

func TestSmallArchiveThatUnpacksToMuchGoesTheWayOfTheLargeOnes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	file := zipOf(t, map[string]string{"conversations.json": "[" + strings.Repeat(" ", bulkUnpacked) + "]"})
	rec, err := TakeIn(t.Context(), r.Store, "ann", []string{file}, r.Limits.Archive, r.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	q := Request{V: MessageVersion, Owner: "ann", Drop: rec.Drop, Lane: Lane(rec.Bytes())}
	if err := submit(t.Context(), r.Store, r.js, q, 0); err != nil {
		t.Fatal(err)
	}
	st := stage{StageIngest, r.ingest, r.giveUpIngest, r.endIngest}
	r.one(t.Context(), r.fetched(t, StreamIngest, "ingest-small"), st)
	msg := r.fetched(t, StreamIngest, "ingest-bulk")
	moved, err := decodeTask[Request](msg.Data())
	if err != nil || moved.Lane != LaneBulk || moved.Drop != q.Drop || moved.ask() != q.ask() {
		t.Fatalf("%+v, %v", moved, err)
	}
	r.one(t.Context(), msg, st)                                                // there it is read: it is no export
	eventually(t, func() bool { return queuedIn(t, r.js, StreamIngest) == 0 }) // a removed message is told of a moment later
	if l := r.letters(t); len(l) != 1 || l[0].Class != Permanent {
		t.Errorf("letters %+v", l)
	}
}

func TestWeightOfMembersThatDeclareNoSizeIsMuch(t *testing.T) {
	for n, sizes := range map[int64][]int64{0: nil, 3: {1, 2}, math.MaxInt64: {1, -1}} {
		a := &archive.Archive{}
		for i, size := range sizes {
			a.Members = append(a.Members, archive.NewMember("m", size, i, nil))
		}
		if got := unpackedBytes(a); got != n {
			t.Errorf("%v: %d", sizes, got)
		}
	}
}
