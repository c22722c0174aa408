package main

import (
	"context"
	"errors"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
)

// lookOver finds out who does the work, as handOver does, for a command that changes nothing: the data folder need not be
// writable, and nothing is made in it. When nobody does the work, none of the three is set, and the scratch folder holds a
// copy of the dead letters.
func lookOver(ctx context.Context, a *app, c *config.Config) (h *handover, err error) {
	h = &handover{config: c}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if c.NATS.URL != "" {
		return h, h.join(ctx, a, viewStore)
	}
	if err := hasStore(c); err != nil {
		return h, err
	}
	data, err := datadir.Look(c.Data)
	if err != nil {
		return h, err
	}
	if err := h.openStore(ctx, a, viewStore); err != nil {
		return h, err
	}
	err = data.Still(func() error { return pipeline.CopyLetters(data.Path(), h.scratch) })
	if used := (*datadir.InUseError)(nil); errors.As(err, &used) {
		err = h.findService(err)
	}
	return h, err
}
