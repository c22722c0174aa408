package pipeline

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// breaking lets reads of the drop fail once from a given byte on.
type breaking struct {
	blob.Store
	from int64
	hits *int
}

func (b breaking) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	rc, o, err := b.Store.Get(ctx, key, r)
	if err == nil && strings.HasPrefix(key, "inbox/") && strings.Contains(key, "part-") && r.Offset < b.from && r.Offset+r.Length > b.from {
		return &breakingBody{rc, r.Offset, b}, o, nil
	}
	return rc, o, err
}

type breakingBody struct {
	io.ReadCloser
	at int64
	b  breaking
}

func (r *breakingBody) Read(p []byte) (int, error) {
	if r.at >= r.b.from && *r.b.hits == 0 {
		*r.b.hits++
		return 0, &blob.Error{Op: "get", Retry: true, Err: errFlaky}
	}
	n, err := r.ReadCloser.Read(p)
	r.at += int64(n)
	return n, err
}

func TestOutageWhileADropIsReadIsNoLoss(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(manyConversations(60), "hens.", "hens. "+strings.Repeat("So many hens. ", 6000))
	file := filepath.Join(t.TempDir(), "conversations.json")
	writeFile(t, file, text)
	d := testDeps(t)
	hits := 0
	broken := d
	broken.Store = state.ClassedStore{Store: breaking{d.Store, 2 << 20, &hits}}
	r, err := runStages(t, broken, file)
	if hits != 1 {
		t.Fatalf("%d reads failed", hits)
	}
	if err == nil {
		t.Errorf("no error; %s with %d of 60 conversations: %+v", r.State, r.Counts.Conversations, r.Quarantined)
	} else if fault.Of(err) != fault.Outage {
		t.Errorf("class %s: %v", fault.Of(err), err)
	}
	t.Logf("first: %v %v", r.State, err)
	r, err = runStages(t, d, file)
	if err != nil || r.State != state.StateDone || r.Counts.Conversations != 60 {
		t.Errorf("after the outage: %v, %s with %d conversations", err, r.State, r.Counts.Conversations)
	}
}
