package pipeline

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestAttemptsAreForgottenWhenTheUnitSucceeds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var tries atomic.Int32
	done := make(chan struct{})
	r.start(t, stage{name: "extract", handle: func(context.Context, []byte) error {
		if tries.Add(1) == 1 {
			return errors.New("bad luck")
		}
		close(done)
		return nil
	}, giveUp: func(context.Context, []byte, error) error { return nil }})
	if err := r.publish(t.Context(), oneTask); err != nil {
		t.Fatal(err)
	}
	<-done
	eventually(t, func() bool { return r.queued(t) == 0 })
	for o := range r.Store.List(t.Context(), "work/_attempts/") {
		t.Errorf("left behind: %s: the next import of the same drop begins with a used-up attempt", o.Key)
	}
}
