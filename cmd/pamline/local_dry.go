package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// openDry opens the data folder for a dry run. A folder that is read-only, or that another process
// holds, is only read; temporary files are in the system's folder then.
func openDry(a *app, c *config.Config) (*local, error) {
	plain := *c
	plain.Encryption.New = "false" // a dry run makes no key, and keeps nothing
	l, err := openLocal(a.ctx, a, &plain)
	if used := (*datadir.InUseError)(nil); errors.As(err, &used) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return shareLocal(a, &plain, viewOrEmpty)
	}
	return l, err
}

// startDry runs the pipeline of this process on an overlay of the store, which is discarded when
// the session is closed.
func startDry(a *app, l *local, observe telemetry.Observe) (*session, error) {
	over, discard, err := replay.Overlay(l.store, l.scratch)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.store = over
	l.closers = append(l.closers, discard)
	l.estimate = true
	return startHere(a, l, sessionOptions{oneOwner: true, observe: observe})
}

// viewOrEmpty opens the store for reading. If there is none yet, an empty one stands for it.
func viewOrEmpty(ctx context.Context, l *local) (blob.Store, func() error, error) {
	folder := l.storeFolder()
	if l.config.Store.Dir.Path != "" {
		folder = l.config.Store.Dir.Path
	}
	if _, err := os.Stat(folder); l.config.Store.Kind != "dir" || !errors.Is(err, fs.ErrNotExist) {
		return viewShared(ctx, l)
	}
	none := *l.config
	none.Encryption.New = "false" // it is gone at the end
	none.Store.Dir.Path = filepath.Join(l.scratch, "none")
	return wiring.OpenStore(ctx, &none, "", l.log)
}
