// Package wiring turns settings into what the pipeline needs.
package wiring

import (
	"context"
	"errors"
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
	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/cmd/internal/memory"
	"github.com/pamline/pamline/cmd/internal/storage"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/membudget"
	"github.com/pamline/pamline/pipeline/prune"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/work"
	"github.com/pamline/pamline/providers"
)

// sortBudget is the memory of one assembly's external sorts, in bytes.
const sortBudget = 32 << 20

// OpenStore opens the store of the settings, with retries around one that is reached over a
// network. wrap decorates such a store below the retries.
func OpenStore(ctx context.Context, c *config.Config, local string, log *zap.Logger, wrap ...func(blob.Store) blob.Store) (blob.Store, func() error, error) {
	return openStore(ctx, c, local, log, storage.Open, Sealing{Begin: true}, wrap)
}

// BeginStore is OpenStore for a data folder that this process alone uses: a new one that is to be
// encrypted gets a master key if there is none.
func BeginStore(ctx context.Context, c *config.Config, local string, log *zap.Logger, o Sealing, wrap ...func(blob.Store) blob.Store) (blob.Store, func() error, error) {
	return openStore(ctx, c, local, log, storage.Open, o, wrap)
}

// BareStore opens a store as it lies, without decryption.
func BareStore(ctx context.Context, c *config.Config, local string) (blob.Store, func() error, error) {
	return storage.Open(ctx, c.Store, local)
}

// BareView opens it for reading.
func BareView(ctx context.Context, c *config.Config, local string) (blob.Store, func() error, error) {
	return storage.OpenReadOnly(ctx, c.Store, local)
}

// ViewStore opens it for a command that only looks: a folder need not be writable, and nothing is
// made in it. A store that does not answer is an outage within a few seconds.
func ViewStore(ctx context.Context, c *config.Config, local string, log *zap.Logger) (blob.Store, func() error, error) {
	return openStore(ctx, c, local, log, storage.OpenReadOnly, Sealing{View: true}, nil)
}

type opener func(ctx context.Context, c config.Store, local string) (blob.Store, func() error, error)

func openStore(ctx context.Context, c *config.Config, local string, log *zap.Logger, open opener, sealing Sealing, wrap []func(blob.Store) blob.Store) (blob.Store, func() error, error) {
	s, closeStore, err := open(ctx, c.Store, local)
	if err != nil {
		return nil, nil, fmt.Errorf("open store: %w", err)
	}
	if c.Store.Kind == "s3" {
		for _, w := range wrap {
			s = w(s)
		}
	}
	// Below the retries: what is tried again is sealed again.
	if s, err = sealing.seal(ctx, s, c); err != nil {
		return nil, nil, errors.Join(err, closeStore())
	}
	if c.Store.Kind == "s3" {
		s = retry.New(s, blob.Backoff{Attempts: c.Retry.Attempts, Base: c.Retry.FirstDelay, Max: c.Retry.MaxDelay}, func(op string, attempt int, err error) {
			log.Warn("store failed; trying again", zap.String("op", op), zap.Int("attempt", attempt), zap.Error(err))
		})
	}
	return s, closeStore, nil
}

// Options are those of a pipeline. scratch is a folder that this process alone uses.
func Options(c *config.Config, store blob.Store, scratch string, log *zap.Logger) (pipeline.Options, error) {
	extractors, err := Extractors(c)
	if err != nil {
		return pipeline.Options{}, err
	}
	embed, err := Embedder(c)
	if err != nil {
		return pipeline.Options{}, err
	}
	published, err := publishedFormats(c)
	if err != nil {
		return pipeline.Options{}, err
	}
	workers := c.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	renewKey := func(ctx context.Context, owner string) (bool, error) {
		encrypted := sealed.Of(store)
		if encrypted == nil {
			return false, nil
		}
		return true, encrypted.Renew(ctx, owner, Roots(owner)...)
	}
	needed := membudget.BudgetFor(workers, int64(c.Limits.MaxConversation))
	return pipeline.Options{
		Store: store, Now: time.Now, NewID: uuid.NewString, KeyOf: signingKeys(c.Sign), RenewKey: renewKey, Versions: func() blob.Versioned { return blob.VersionedOf(store) }, IdentityOf: Identities(c, c.Owner.ID), Formats: published,
		Reading: pipeline.Reading{Registry: providers.Default(), Extractors: extractors, Embed: embed, Limits: readLimits(c.Limits)},
		Resources: pipeline.Resources{
			Scratch: scratch, Workers: workers, Memory: memory.Limit(os.Getenv(memory.Environ), int64(c.Memory), os.DirFS("/"), needed),
		},
		Retry: pipeline.Retry{
			Attempts: c.Retry.Attempts, Backoff: queue.Backoff{First: c.Retry.FirstDelay, Max: c.Retry.MaxDelay},
			Breaker: work.Breaker{Failures: c.Breaker.Failures, Pause: c.Breaker.Pause}, Drain: c.NATS.Drain,
		},
		Reports: pipeline.Reports{Log: log},
		Scrub:   pipeline.Scrub{Every: c.Scrub.Every, Rate: int64(c.Scrub.Rate)},
		Prune: pipeline.Prune{
			Every: c.Prune.Every, Grace: c.Prune.Grace, Rules: prune.Rules{Exports: c.Prune.Exports, For: c.Prune.For, DropOriginals: !c.Prune.Originals},
		},
		Inbox:    inboxRules(c),
		Topology: TopologyOptions(c),
		Scan:     c.Drop.Scan,
	}, nil
}

func readLimits(l config.Limits) state.Limits {
	return state.Limits{
		Archive: archive.Limits{
			MaxMembers: l.MaxMembers, MaxMemberSize: int64(l.MaxMemberSize), MaxTotal: int64(l.MaxTotal),
			MaxRatio: int64(l.MaxRatio), MaxNesting: nestingLimit(l.MaxNesting), MaxScratch: int64(l.MaxScratch),
		},
		MaxConversation: int64(l.MaxConversation), MaxDepth: l.MaxDepth, AnySignature: l.AnySignature, Sidecar: int64(l.Sidecar), MaxAsset: int64(l.MaxAsset),
		ShardBytes: int64(l.ShardBytes), ShardItems: l.ShardItems, SortBudget: sortBudget, OwnerSmall: l.OwnerSmall,
	}
}

// nestingLimit gives the archive's form of a setting: there, 0 is the default and -1 is none.
func nestingLimit(levels int) int {
	if levels == 0 {
		return -1
	}
	return levels
}

// Scratch empties and makes the folder for temporary files in a data folder that this process has
// locked: what a killed process left there is of no use.
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

// NATS are the settings of an external cluster. name is how the server lists the connection.
func NATS(c config.NATS, name string) queue.ConnectOptions {
	return queue.ConnectOptions{
		URL: c.URL, CredsFile: c.CredsFile, NKeyFile: c.NKeyFile, CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile, Name: name,
	}
}

// TopologyOptions are the operator's choices about the streams.
func TopologyOptions(c *config.Config) dispatch.TopologyOptions {
	return dispatch.TopologyOptions{
		Replicas: c.NATS.Replicas, Verify: c.NATS.Provision == "verify", AckWait: c.NATS.AckWait, Events: c.Drop.Events, OwnerSmall: c.Limits.OwnerSmall,
	}
}

func inboxRules(c *config.Config) inbox.Rules {
	in := inbox.Rules{Owner: c.Owner.ID, Quiet: c.Drop.Quiet, Parts: c.Drop.Parts}
	if c.Store.Kind == "s3" {
		in.Bucket, in.Prefix = c.Store.S3.Bucket, c.Store.S3.Prefix
	}
	return in
}
