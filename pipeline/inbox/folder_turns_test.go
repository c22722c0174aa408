package inbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func TestOwnersOfADropFolderTakeTurns(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 1, false)
	for _, name := range []string{"ann/1", "ann/2", "ann/3", "bob/1", "zoe/1", "zoe/2"} {
		r.write(t, name, "x")
	}
	r.look(t)
	if got := r.look(t); fmt.Sprint(got) != "[ann/1 bob/1 zoe/1 ann/2 zoe/2 ann/3]" {
		t.Errorf("taken in the order %v", got)
	}
	// Turns go on where they ended.
	for _, name := range []string{"ann/4", "bob/4", "eve/4"} {
		r.write(t, name, "x")
	}
	r.look(t)
	if got := r.look(t); fmt.Sprint(got) != "[eve/4 bob/4 ann/4]" {
		t.Errorf("taken in the order %v", got)
	}
}

func TestLargeDropInTheFolderDoesNotHoldUpSmallOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newFolderRig(t, 1, false)
		r.write(t, "ann/large.zip", "x")
		if err := os.Truncate(filepath.Join(r.Path, "ann/large.zip"), 64<<20+1); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			r.write(t, fmt.Sprintf("zoe/%d.zip", i), "x")
		}
		ctx, stop := context.WithCancel(t.Context())
		small := 0
		r.take = func(ctx context.Context, l localEntry) error {
			if l.owner == "zoe" {
				small++
				return nil
			}
			<-ctx.Done() // reads for ever
			return ctx.Err()
		}
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(10 * r.Settle)
		synctest.Wait()
		if small != 3 {
			t.Errorf("%d small ones were taken beside the large one, want 3", small)
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestFileThatGrewWhileAnotherWasTakenMustBeUnchangedForAWholePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newFolderRig(t, 1, false)
		r.write(t, "a.json", "large")
		r.write(t, "b.json", "begun")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var changed time.Time
		r.take = func(_ context.Context, l localEntry) error {
			if l.name() == "a.json" {
				time.Sleep(10*r.Settle + r.Settle/2)
				r.write(t, "b.json", "begun, and going on")
				changed = time.Now()
				return nil
			}
			if unchanged := time.Since(changed); unchanged < r.Settle {
				t.Errorf("taken %s after it had grown, want %s", unchanged, r.Settle)
			}
			stop()
			return nil
		}
		if err := r.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestDropFolderThatIsUnreadableIsWatchedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newFolderRig(t, 1, false)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		synctest.Wait()
		if err := os.RemoveAll(r.Path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * r.Settle)
		synctest.Wait()
		if r.logs.Len() != 1 {
			t.Errorf("said %v", r.logs.All())
		}
		r.write(t, "ann/a.zip", "x")
		time.Sleep(3 * r.Settle)
		synctest.Wait()
		stop()
		if <-ended; len(r.taken) != 1 {
			t.Errorf("%d taken", len(r.taken))
		}
	})
}
