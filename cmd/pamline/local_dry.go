package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
)

// openDry opens the data folder for a dry run. A folder that is read-only, or in use by another process, is only read;
// temporary files are in the system's folder then.
func openDry(ctx context.Context, a *app, c *config.Config) (*local, error) {
	l, err := openLocal(ctx, a, c)
	if used := (*datadir.InUseError)(nil); errors.As(err, &used) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return lookLocal(ctx, a, c)
	}
	return l, err
}

// lookLocal is openLocal for reading only. Where there is no store yet, an empty one stands for it.
func lookLocal(ctx context.Context, a *app, c *config.Config) (l *local, err error) {
	l = &local{config: c}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.log, err = a.logger(c); err != nil {
		return l, err
	}
	if l.data, err = datadir.Look(c.Data); err != nil {
		return l, err
	}
	var remove, closeStore func() error
	if l.scratch, remove, err = scratch(""); err != nil {
		return l, err
	}
	l.closers = append(l.closers, remove)
	if l.hasStore() {
		l.store, closeStore, err = wiring.ViewStore(ctx, c, l.storeFolder(), l.log)
	} else {
		none := *c
		none.Store.Dir.Path = filepath.Join(l.scratch, "none")
		l.store, closeStore, err = wiring.OpenStore(ctx, &none, "", l.log)
	}
	if err != nil {
		return l, err
	}
	l.closers = append(l.closers, closeStore)
	return l, nil
}

func (l *local) hasStore() bool {
	folder := l.storeFolder()
	if l.config.Store.Dir.Path != "" {
		folder = l.config.Store.Dir.Path
	}
	_, err := os.Stat(folder)
	return l.config.Store.Kind != "dir" || !errors.Is(err, fs.ErrNotExist)
}
