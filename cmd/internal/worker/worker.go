// Package worker is the main function of the three workers: flags, wiring, health and metrics,
// graceful drain.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/alecthomas/kong"
	"go.uber.org/zap"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/flags"
	"github.com/pamline/pamline/cmd/internal/interrupt"
	"github.com/pamline/pamline/cmd/internal/logging"
	"github.com/pamline/pamline/cmd/internal/service"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// options are the same for all three.
type options struct {
	Config string            `env:"PAMLINE_CONFIG" placeholder:"FILE" type:"path" help:"Configuration file (YAML)."`
	Set    map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"Set one setting, for example nats.url=nats://localhost:4222."`
}

// does says of each worker what it takes care of.
var does = map[string]string{
	telemetry.StageIngest: "hears what was put into the inbox of the store, looks through it from time to time, takes drops in, reads archives " +
		"into packs of conversations, and asks again for work whose messages were lost",
	telemetry.StageExtract:  "finds memories in packs of conversations",
	telemetry.StageAssemble: "makes an owner's store of all that was found, publishes it, and writes receipts",
}

// Main runs the worker of one stage until a signal, and gives the exit code. version is what was
// linked in.
func Main(stage, version string, args []string, stderr io.Writer) int {
	var f options
	parser, err := kong.New(&f, append(flags.Types(), kong.Name(stage), kong.Writers(os.Stdout, stderr),
		kong.Description("The "+stage+" worker of pamline: it "+does[stage]+". It takes its work from NATS JetStream and keeps everything in the store: "+
			"set nats.url, and a store that all workers share. There may be any number of each.\n\n"+
			"It answers /healthz, /readyz and /metrics at http.addr, tells systemd how it stands, and ends gently: the first signal lets it finish what it has in hand "+
			"for as long as nats.drain says, the second ends it at once.\n\nExample:\n  "+stage+" --config /etc/pamline.yaml"))...)
	if err != nil {
		panic(err) // the declaration above is wrong; every test would meet it
	}
	if _, err := parser.Parse(args); err != nil {
		printMessage(stderr, "%s: %v\nTry: %s --help", stage, err, stage)
		return exit.Usage
	}
	ctx, stop := interrupt.Context(context.Background(), stderr)
	defer stop()
	err = runStage(ctx, stage, version, f, stderr)
	if err == nil {
		return exit.Done
	}
	printMessage(stderr, "%s: %v", stage, err)
	return exit.Code(err)
}

// printMessage writes a message for the operator.
func printMessage(stderr io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(stderr, format+"\n", args...) // there is nobody left to tell
}

func runStage(ctx context.Context, stage, version string, f options, stderr io.Writer) (err error) {
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
	scratch, remove, err := datadir.Scratch("", "pamline-"+stage)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	log = log.With(zap.String("worker", stage))
	s, err := service.Open(ctx, c, "pamline-"+stage, version, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	store, closeStore, err := wiring.OpenStore(ctx, c, "", log, s.Meter)
	if err != nil && ctx.Err() != nil {
		log.Info("worker was stopped before its store answered")
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	options, err := wiring.Options(c, store, scratch, log)
	if err != nil {
		return err
	}
	options.ScanInbox = true
	s.Watch(&options)
	joined := joining{view: pipeline.NewView(store)}
	server := s.Serve(service.Endpoint{Ready: joined.Ready, Imports: joined.Viewer})
	if err := s.Listen(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, s.Drain)()
	s.Up() // a server that is waited for is no reason to be started again
	cluster := wiring.NATS(c.NATS, "pamline-"+stage)
	cluster.Log, cluster.Wait = log, true
	p, err := pipeline.Join(ctx, options, cluster)
	if ctx.Err() != nil {
		log.Info("worker was stopped before it reached NATS")
		return nil
	}
	if err != nil {
		return err
	}
	defer p.Close()
	joined.set(p)
	log.Info("worker is up", zap.String("http", server.Addr()))
	var asked sync.WaitGroup
	defer asked.Wait()
	asking, leave := context.WithCancel(ctx)
	defer leave()     // a store that does not answer must not hold up a worker that ends
	asked.Go(func() { // a worker without work asks its store for nothing, and nobody would hear of a wrong bucket or key
		if err := joined.Ready(asking); err != nil && asking.Err() == nil {
			log.Warn("the worker cannot work yet; it waits and continues by itself, and `pamline config check` says more", zap.String("error", fault.Loggable(err)))
		}
	})
	if err := p.Run(ctx, pipeline.Stages(stage)...); err != nil {
		return err
	}
	log.Info("worker has drained")
	return nil
}
