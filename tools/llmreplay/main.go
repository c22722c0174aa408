// Command llmreplay measures the guards of the model extractor without a model. It is a server in
// the wire format of OpenAI that answers the extractor's real requests with recorded answers, and
// it prints which of them the guards keep:
//
//	go run ./tools/llmreplay                           # the table
//	go run ./tools/llmreplay -list | sort | less       # what the guards reject, by reason
//	go run ./tools/llmreplay -serve 127.0.0.1:8099     # only the server, for pamline extract --extractors llm
//
// The recordings are the annotated conversations beside the checkout
// (../shared/eval/alps-dev.jsonl.gz, see -recordings). Without them it says so and ends well. They
// hold the answers of one model, to a prompt of its own, after annotators approved or rejected each
// memory. Raw answers of other models are not among them. So the table shows what each guard costs
// and gains for memories that a model did propose; it does not show what the extractor's prompt
// would make a model propose.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	file := flag.String("recordings", filepath.Join("..", "shared", "eval", "alps-dev.jsonl.gz"), "file with recorded answers")
	address := flag.String("serve", "", "serve the recorded answers at this address until interrupted, and measure nothing")
	list := flag.Bool("list", false, "print what was rejected instead of the table")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Stdout, *file, *address, *list)
	if errors.Is(err, errAbsent) {
		fmt.Fprintln(os.Stderr, "llmreplay: skipped:", err)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "llmreplay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, file, address string, list bool) (err error) {
	sessions, err := readSessions(file)
	if err != nil {
		return err
	}
	s := newServer(sessions)
	listen := address
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	h := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	defer func() { err = errors.Join(err, h.Close()) }()
	if address != "" {
		if _, err := fmt.Fprintf(out, "serving at http://%s/v1\n", listener.Addr()); err != nil {
			return fmt.Errorf("write address: %w", err)
		}
		select {
		case <-ctx.Done():
		case err := <-ended:
			return fmt.Errorf("serve: %w", err)
		}
		_, err := fmt.Fprintln(out, s.counts())
		return err
	}
	r, err := replay(ctx, "http://"+listener.Addr().String(), s)
	if err != nil {
		return err
	}
	if !list {
		return r.print(out)
	}
	for _, line := range r.examples {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return fmt.Errorf("write list: %w", err)
		}
	}
	return nil
}
