package pipeline

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
)

// slowCopy holds the first write of the store's copy back until it is released.

type slowCopy struct {
	blob.Store
	once    *sync.Once
	reached chan struct{}
	release chan struct{}
}

func (s slowCopy) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if strings.HasSuffix(key, "/memory-store.json") {
		s.once.Do(func() { close(s.reached); <-s.release })
	}
	return s.Store.Put(ctx, key, body, o)
}

func TestSlowAssemblerDoesNotLeaveAnOldCopy(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	_, one := ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": manyConversations(2)}))
	_, two := ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": manyConversations(5)}))
	slow := slowCopy{d.Store, new(sync.Once), make(chan struct{}), make(chan struct{})}
	ds := d
	ds.Store = slow
	done := make(chan error, 1)
	go func() {
		_, err := Assemble(t.Context(), ds, "me", []AssembleTask{one})
		done <- err
	}()
	<-slow.reached
	if _, err := Assemble(t.Context(), d, "me", []AssembleTask{two}); err != nil {
		t.Fatal(err)
	}
	close(slow.release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	checkHead(t, d, "me")
}
