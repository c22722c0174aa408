package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pipeline/erase"
)

// tombstoneFlags say whose tombstones count.
type tombstoneFlags struct {
	Accept             []string `placeholder:"FILE" type:"path" help:"With --tombstones: apply those that this public Ed25519 key signed, or whose bundle it signed. May be repeated. The key that signs the store of the owner is always accepted."`
	AcceptAllDeletions bool     `help:"With --tombstones: apply all, also those that nobody signed."`
}

// readTombstones reads the tombstones of the bundle that have an accepted authority.
func (c *eraseCommand) readTombstones(a *app, loaded *config.Config, owner string) (t *erase.Tombstones, err error) {
	o := mem.MergeOptions{AcceptUnsigned: c.AcceptAllDeletions}
	if o.Accepted, err = edKeys(c.Accept); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	own, err := wiring.SigningKey(loaded, owner)
	if err != nil {
		return nil, err
	}
	if key, ok := own.Ed25519(); ok && !own.IsZero() {
		o.Accepted = append(o.Accepted, key.Public().(ed25519.PublicKey))
	}
	folder, remove, err := scratch("")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	o.Scratch = folder
	b, err := mem.Open(c.Tombstones)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("erase: %w", err))
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	d, merged, err := convert.ReadDeletions(a.ctx, b, o)
	if err != nil {
		return nil, exit.With(malformed, fmt.Errorf("erase: nothing was erased: %w; pamline validate %s says what is wrong", err, c.Tombstones))
	}
	if n := int64(len(merged.Quarantined)); n > 0 {
		a.say("%s not applied: no accepted key signed them (--accept FILE, --accept-all-deletions)", pluralNoun(n, "tombstone"))
	}
	if merged.Tombstones == 0 {
		return nil, exit.With(exit.Usage, fmt.Errorf("erase: nothing was erased: %s has no tombstones that may be applied", c.Tombstones))
	}
	return &erase.Tombstones{Memories: d.Memories, Conversations: d.Conversations, Files: d.Files, Cover: d.Cover}, nil
}
