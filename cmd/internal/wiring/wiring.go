// Package wiring turns settings into what the pipeline needs.
package wiring

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/retry"
	"github.com/pamline/pamline/cmd/internal/memory"
	"github.com/pamline/pamline/cmd/internal/storage"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// sortBudget is the memory of one assembly's external sorts, in bytes.
const sortBudget = 32 << 20

// OpenStore opens the store of the settings, with retries around one that is reached over a network. wrap decorates such a
// store below the retries.
func OpenStore(ctx context.Context, c *config.Config, local string, log *zap.Logger, wrap ...func(blob.Store) blob.Store) (blob.Store, func() error, error) {
	return openStore(ctx, c, local, log, storage.Open, wrap)
}

// ViewStore opens it for a command that only looks: a folder need not be writable, and nothing is made in it.
func ViewStore(ctx context.Context, c *config.Config, local string, log *zap.Logger) (blob.Store, func() error, error) {
	return openStore(ctx, c, local, log, storage.OpenReadOnly, nil)
}

type opener func(ctx context.Context, c config.Store, local string) (blob.Store, func() error, error)

func openStore(ctx context.Context, c *config.Config, local string, log *zap.Logger, open opener, wrap []func(blob.Store) blob.Store) (blob.Store, func() error, error) {
	s, closeStore, err := open(ctx, c.Store, local)
	if err != nil {
		return nil, nil, fmt.Errorf("open store: %w", err)
	}
	if c.Store.Kind == "s3" {
		for _, w := range wrap {
			s = w(s)
		}
		s = retry.New(s, blob.Backoff{Attempts: c.Retry.Attempts, Base: c.Retry.FirstDelay, Max: c.Retry.MaxDelay}, func(op string, attempt int, err error) {
			log.Warn("store failed; trying again", zap.String("op", op), zap.Int("attempt", attempt), zap.Error(err))
		})
	}
	return s, closeStore, nil
}

// Deps are the pipeline's dependencies. scratch is a folder that this process alone uses.
func Deps(c *config.Config, store blob.Store, scratch string, log *zap.Logger) (pipeline.Deps, error) {
	extractors, err := Extractors(c)
	if err != nil {
		return pipeline.Deps{}, err
	}
	embed, err := embedder(c)
	if err != nil {
		return pipeline.Deps{}, err
	}
	workers := c.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	l := c.Limits
	needed := membudget.BudgetFor(workers, int64(l.MaxConversation))
	return pipeline.Deps{
		Memory: memory.Limit(os.Getenv(memory.Environ), int64(c.Memory), os.DirFS("/"), needed),
		Store:  store, Registry: providers.Default(), Extractors: extractors, Embed: embed, Log: log,
		Now: time.Now, NewID: uuid.NewString, Scratch: scratch, Workers: workers,
		Attempts: c.Retry.Attempts, Backoff: pipeline.Backoff{First: c.Retry.FirstDelay, Max: c.Retry.MaxDelay},
		AckWait: c.NATS.AckWait, Drain: c.NATS.Drain, Breaker: pipeline.Breaker{Failures: c.Breaker.Failures, Pause: c.Breaker.Pause},
		Inbox: inbox(c),
		Limits: state.Limits{
			Archive: archive.Limits{
				MaxMembers: l.MaxMembers, MaxMemberSize: int64(l.MaxMemberSize), MaxTotal: int64(l.MaxTotal),
				MaxRatio: int64(l.MaxRatio), MaxNesting: nesting(l.MaxNesting), MaxScratch: int64(l.MaxScratch),
			},
			MaxConversation: int64(l.MaxConversation), MaxDepth: l.MaxDepth, Sidecar: int64(l.Sidecar), MaxAsset: int64(l.MaxAsset),
			ShardBytes: int64(l.ShardBytes), ShardItems: l.ShardItems, SortBudget: sortBudget, OwnerSmall: l.OwnerSmall,
		},
	}, nil
}

// nesting gives the archive's form of a setting: there, 0 is the default and -1 is none.
func nesting(levels int) int {
	if levels == 0 {
		return -1
	}
	return levels
}

// Scratch empties and makes the folder for temporary files in a data folder that this process has locked: what a killed
// process left there is of no use.
func Scratch(data string) (string, error) {
	folder := filepath.Join(data, "scratch")
	if err := os.RemoveAll(folder); err != nil {
		return "", fmt.Errorf("empty scratch folder: %w", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make scratch folder: %w", err)
	}
	return folder, nil
}

// Place says where a person finds an object of the store.
func Place(c config.Store, local, key string) string {
	if c.Kind == "s3" {
		return "s3://" + path.Join(c.S3.Bucket, c.S3.Prefix, key)
	}
	if c.Dir.Path != "" {
		local = c.Dir.Path
	}
	return filepath.Join(local, filepath.FromSlash(key))
}

// NATS are the settings of an external cluster.
func NATS(c config.NATS, name string) pipeline.NATSOptions {
	return pipeline.NATSOptions{
		URL: c.URL, CredsFile: c.CredsFile, NKeyFile: c.NKeyFile, CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile, Name: name,
	}
}

// Topology is how the streams are made.
func Topology(c *config.Config) pipeline.Topology {
	return pipeline.Topology{
		Replicas: c.NATS.Replicas, Verify: c.NATS.Provision == "verify", AckWait: c.NATS.AckWait, Events: c.Drop.Events, OwnerSmall: c.Limits.OwnerSmall,
	}
}

func inbox(c *config.Config) pipeline.Inbox {
	in := pipeline.Inbox{Owner: c.Owner, Quiet: c.Drop.Quiet, Parts: c.Drop.Parts, Scan: c.Drop.Scan}
	if c.Store.Kind == "s3" {
		in.Bucket, in.Prefix = c.Store.S3.Bucket, c.Store.S3.Prefix
	}
	return in
}
