// Package interrupt turns Ctrl-C and SIGTERM into a context: the first asks to finish what is
// begun, the second ends the process at once. Both leave a state that running the command again
// goes on from.
package interrupt

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/pamline/pamline/cmd/internal/exit"
)

// Context is cancelled by the first signal. What Ctrl-C does is told on stderr. stop ends the
// watching.
func Context(parent context.Context, stderr io.Writer) (ctx context.Context, stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(parent)
	go watch(ctx, signals, stderr, cancel, os.Exit)
	return ctx, func() {
		signal.Stop(signals)
		cancel()
		close(signals)
	}
}

func watch(ctx context.Context, signals <-chan os.Signal, stderr io.Writer, cancel func(), die func(int)) {
	select {
	case signal, ok := <-signals:
		if !ok {
			return
		}
		if signal == os.Interrupt { // a person's; a supervisor reads the log
			_, _ = fmt.Fprintln(stderr, "pamline: finishing the current task; press Ctrl-C again to stop at once (run the same command again to resume)")
		}
	case <-ctx.Done():
		return
	}
	cancel()
	if _, ok := <-signals; ok {
		die(exit.Interrupted)
	}
}
