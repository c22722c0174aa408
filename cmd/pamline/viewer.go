package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/status"
)

// viewer is where a command that changes nothing reads imports and dead letters from.
type viewer struct {
	pipeline.Viewer
	close func() error
}

// openViewer chooses where imports are read from: the running service of the data folder, else the
// store, with the progress that the cluster of nats.url reports. Nothing is written, and read
// access is enough.
func openViewer(a *app, c *config.Config) (*viewer, error) {
	folder, err := datadir.Find(c.Data)
	if err != nil {
		return nil, err
	}
	service, err := api.FindService(folder)
	if err == nil {
		_, err = service.Ping(a.ctx)
	}
	switch {
	case err == nil:
		return &viewer{service, func() error { return nil }}, nil
	case !errors.Is(err, api.ErrNotRunning):
		return nil, err
	}
	l, err := viewStore(a, c)
	if err != nil {
		return nil, err
	}
	v := &viewer{pipeline.NewView(l.store), l.Close}
	if c.NATS.URL == "" {
		return v, nil
	}
	cluster, leave, err := pipeline.JoinView(a.ctx, l.store, wiring.NATS(c.NATS, "pamline-status"))
	if err != nil {
		a.say("NATS does not answer, so progress is missing and the list is from the store: %v", err)
		return v, nil
	}
	return &viewer{cluster, func() error { leave(); return l.Close() }}, nil
}

// withViewer uses a viewer.
func withViewer(a *app, c *config.Config, use func(pipeline.Viewer) error) error {
	v, err := openViewer(a, c)
	if err != nil {
		return err
	}
	return errors.Join(use(v), v.close())
}

// findImport returns the one import whose id, or whose drop's id, begins like this.
func findImport(ctx context.Context, v pipeline.Viewer, owner, begin string) (status.Row, error) {
	row, err := pipeline.FindImport(ctx, v, owner, begin)
	if errors.Is(err, status.ErrNoImport) {
		return row, exit.With(exit.Failed, fmt.Errorf("there is no import %s: `pamline imports` lists all", begin))
	}
	return row, queryError(err)
}

// queryError makes the error of a wrong query one of use.
func queryError(err error) error {
	if refused := (*api.RefusedError)(nil); errors.Is(err, status.ErrQuery) || errors.As(err, &refused) && refused.Wrong {
		return exit.With(exit.Usage, err)
	}
	return err
}
