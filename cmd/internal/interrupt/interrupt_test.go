package interrupt

import (
	"bytes"
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestTheFirstSignalCancelsAndTheSecondKills(t *testing.T) {
	signals := make(chan os.Signal)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	died := make(chan int, 1)
	ended := make(chan struct{})
	var stderr bytes.Buffer
	go func() {
		defer close(ended)
		watch(ctx, signals, &stderr, cancel, func(code int) { died <- code })
	}()
	signals <- os.Interrupt
	<-ctx.Done()
	select {
	case <-died:
		t.Fatal("the first signal killed")
	default:
	}
	signals <- os.Interrupt
	if code := <-died; code != 130 {
		t.Errorf("exit code %d", code)
	}
	<-ended
	if !strings.Contains(stderr.String(), "again") {
		t.Errorf("said %q", stderr.String())
	}
}

func TestStoppingEndsTheWatch(t *testing.T) {
	ctx, stop := Context(t.Context(), &bytes.Buffer{})
	if ctx.Err() != nil {
		t.Fatal("cancelled before any signal")
	}
	stop()
	if ctx.Err() == nil {
		t.Error("still running after stop")
	}
	signals := make(chan os.Signal)
	close(signals)
	watch(t.Context(), signals, &bytes.Buffer{}, func() { t.Error("cancelled") }, func(int) { t.Error("died") })
}

// A worker's stderr is a log of JSON lines, which a supervisor that ends it must not have torn.
func TestASupervisorsSignalCancelsWithoutAWord(t *testing.T) {
	signals := make(chan os.Signal, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stderr bytes.Buffer
	signals <- syscall.SIGTERM
	close(signals)
	watch(ctx, signals, &stderr, cancel, func(int) { t.Error("died") })
	if ctx.Err() == nil || stderr.Len() > 0 {
		t.Errorf("%v, said %q", ctx.Err(), stderr.String())
	}
}
