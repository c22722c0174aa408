package main

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pipeline/ledger"
)

// openSince opens the earlier bundle, and reads what its owner has had erased.
func (c *convertCommand) openSince(a *app, o *convert.Options) (closeBundle func() error, err error) {
	if c.Since == "" {
		return func() error { return nil }, nil
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data})
	if err != nil {
		return nil, err
	}
	owner, err := ownerNamed(loaded, c.Paths[0])
	if err != nil {
		return nil, err
	}
	if owner == "" {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is no owner of the data folder: with --since give the owner, for a bundle does not say what was erased", c.Paths[0]))
	}
	err = withStore(a, loaded, func(s blob.Store) (err error) {
		o.Erased, _, err = ledger.Read(a.ctx, s, owner)
		return err
	})
	if err != nil {
		return nil, err
	}
	if o.Since, err = mem.Open(c.Since); err != nil {
		if errors.Is(err, mem.ErrNotMem) {
			err = exit.With(exit.Usage, fmt.Errorf("%w: --since needs an earlier .mem bundle", err))
		}
		return nil, err
	}
	return o.Since.Close, nil
}
