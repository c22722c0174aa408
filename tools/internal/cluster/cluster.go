package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
	"github.com/pamline/pamline/tools/internal/fault"
)

// Options say what is to run.
type Options struct {
	// Root is the repository, Programs the folder of the workers' binaries.
	Root, Programs string
	// Folder takes everything: objects, queues, settings, scratch, logs.
	Folder string
	// Nodes is how many NATS servers there are: 1 or 3.
	Nodes int
	// Workers is how many there are of each stage.
	Workers map[string]int
	// Settings go to all workers, by their dotted names, besides where NATS and the store are.
	Settings map[string]any
	// Skewed is the folder of the workers' binaries with a clock of their own ([BuildSkewed]);
	// Skews says by how many seconds which workers' clocks are wrong, by their names.
	Skewed string
	Skews  map[string]int64
	// Events is the subject that the S3 server tells of what is put.
	Events string
	// Observe is told of each answer of the S3 server to a worker. May be nil.
	Observe func(r *http.Request, status int)
}

func (o Options) logs() string { return filepath.Join(o.Folder, "logs") }

// stages are the workers there are.
var stages = []string{"ingest", "extract", "assemble"}

// Cluster is everything that runs.
type Cluster struct {
	options Options
	Broker  *Broker
	Gateway *Gateway
	Workers []*Worker
	events  *fault.Link
}

// Start starts the servers, then the workers, and returns when all are ready. What is needed is
// built first ([toolbin]).
func Start(ctx context.Context, o Options) (*Cluster, error) {
	server, err := toolbin.NATSServer.Build(o.Root)
	if err != nil {
		return nil, err
	}
	gateway, err := toolbin.VersityGW.Build(o.Root)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.logs(), 0o755); err != nil {
		return nil, fmt.Errorf("make folder of the cluster: %w", err)
	}
	c := &Cluster{options: o}
	if err := c.start(ctx, server, gateway); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, server, gateway string) (err error) {
	if c.Broker, err = startBroker(ctx, c.options, server); err != nil {
		return err
	}
	if c.events, err = fault.NewLink(c.Broker.Nodes[0].At); err != nil {
		return err
	}
	if c.Gateway, err = startGateway(ctx, c.options, gateway, c.events.Addr(), c.options.Events); err != nil {
		return err
	}
	for _, stage := range stages {
		for n := range c.options.Workers[stage] {
			w, err := c.startWorker(stage, n+1)
			if err != nil {
				return err
			}
			c.Workers = append(c.Workers, w)
		}
	}
	for _, w := range c.Workers {
		if err := w.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Logs is the folder of what the processes said.
func (c *Cluster) Logs() string { return c.options.logs() }

// Close ends everything at once. The folder stays.
func (c *Cluster) Close() error {
	var errs []error
	for _, w := range c.Workers {
		errs = append(errs, w.Close())
	}
	if c.Gateway != nil {
		errs = append(errs, c.Gateway.Close())
	}
	if c.events != nil {
		errs = append(errs, c.events.Close())
	}
	if c.Broker != nil {
		errs = append(errs, c.Broker.Close())
	}
	return errors.Join(errs...)
}
