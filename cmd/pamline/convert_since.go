package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/state"
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
	err = withStore(a, loaded, func(s blob.Store) error {
		erasures, _, err := ledger.Read(a.ctx, s, owner)
		if err != nil {
			return err
		}
		o.Erased = erasures
		head, _, err := state.ReadHead(a.ctx, s, owner)
		if err == nil && head.Store == "" && !erasures.IsEmpty() {
			c.Paths[0], err = emptyStore(o.Scratch, owner, erasures.Entries[len(erasures.Entries)-1].At)
		}
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

// emptyStore writes the store of an owner of whom nothing is left, as it is since a time.
func emptyStore(scratch, owner, at string) (path string, err error) {
	path = filepath.Join(scratch, "nothing.json")
	return path, storefile.Create(path, func(w io.Writer) error {
		h := pamio.Header{Owner: pamio.Owner{ID: owner}, ExportID: uuid.NewSHA1(uuid.NameSpaceOID, []byte(owner+"\x00"+at)).String(), ExportedBy: wiring.Generator, ExportDate: at, ExportType: "full"}
		return pamio.WriteStore(w, h, nil, nil, nil, (&pamio.Checksummer{}).Integrity(), nil)
	})
}
