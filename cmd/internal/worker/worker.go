// Package worker is the main function of the three workers: flags, wiring, health and metrics, graceful drain.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/alecthomas/kong"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/flags"
	"github.com/pamline/pamline/cmd/internal/interrupt"
	"github.com/pamline/pamline/cmd/internal/logging"
	"github.com/pamline/pamline/cmd/internal/obs"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
)

// options are the same for all three.
type options struct {
	Config string            `env:"PAMLINE_CONFIG" placeholder:"FILE" type:"path" help:"Configuration file (YAML)."`
	Set    map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"Set one setting, for example nats.url=nats://localhost:4222."`
}

// Main runs the worker of one stage until a signal, and gives the exit code.
func Main(stage string, args []string, stderr io.Writer) int {
	var f options
	parser, err := kong.New(&f, append(flags.Types(), kong.Name(stage), kong.Writers(os.Stdout, stderr),
		kong.Description("The "+stage+" worker of pamline: takes work from NATS JetStream, keeps everything in the store. Needs nats.url, and a store that all workers share.\n\nExample:\n  "+stage+" --config /etc/pamline.yaml"))...)
	if err != nil {
		panic(err) // the declaration above is wrong; every test would meet it
	}
	if _, err := parser.Parse(args); err != nil {
		say(stderr, "%s: %v\nTry: %s --help", stage, err, stage)
		return exit.Usage
	}
	ctx, stop := interrupt.Context(context.Background(), stderr)
	defer stop()
	err = run(ctx, stage, f, stderr)
	if err == nil {
		return exit.Done
	}
	say(stderr, "%s: %v", stage, err)
	return exit.Code(err)
}

// say writes a message for the operator.
func say(stderr io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(stderr, format+"\n", args...) // there is nobody left to tell
}

func run(ctx context.Context, stage string, f options, stderr io.Writer) (err error) {
	c, err := config.Load(config.Sources{File: f.Config, Environ: os.Environ(), Set: f.Set})
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	if c.NATS.URL == "" {
		return exit.With(exit.Usage, errors.New("nats.url is not set: a worker needs a server that it shares with the others; for one machine there is `pamline up`"))
	}
	if c.Store.Kind == "dir" && c.Store.Dir.Path == "" {
		return exit.With(exit.Usage, errors.New("store.dir.path is not set: all workers must share one store; set it to a common folder, or store.kind to s3"))
	}
	log, err := logging.New(stderr, c.Log.Level, c.Log.Format, false)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "pamline-"+stage+"-*")
	if err != nil {
		return fmt.Errorf("make scratch folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	store, closeStore, err := wiring.OpenStore(ctx, c, "", log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	nc, err := pipeline.ConnectNATS(wiring.NATS(c.NATS, "pamline-"+stage))
	if err != nil {
		return err
	}
	defer nc.Close()

	registry := obs.NewRegistry()
	d, err := wiring.Deps(c, store, scratch, log.With(zap.String("worker", stage)))
	if err != nil {
		return err
	}
	if d.Metrics, err = pipeline.NewMetrics(registry); err != nil {
		return err
	}
	w, err := open(ctx, nc, d, wiring.Topology(c))
	if err != nil {
		return err
	}
	server := obs.New(registry, w.Ready)
	if err := server.Start(c.HTTP.Addr); err != nil {
		return err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = errors.Join(err, server.Shutdown(end))
	}()
	log.Info("worker is up", zap.String("http", server.Addr()))
	if err := w.Run(ctx, stage); err != nil {
		return err
	}
	log.Info("worker has drained")
	return nil
}

func open(ctx context.Context, nc *nats.Conn, d pipeline.Deps, t pipeline.Topology) (*pipeline.Worker, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	if err := pipeline.EnsureTopology(ctx, js, t); err != nil {
		return nil, err
	}
	return pipeline.NewWorker(d, js)
}
