package main

import (
	"errors"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/inspect"
)

type inspectCommand struct {
	Why  string `placeholder:"MEMORY" help:"Show why a memory is in the store: an id, or the start of one."`
	Path string `arg:"" optional:"" type:"path" help:"A bundle (folder or zip), a store file, or a conversation file. Default: the store of the data folder."`
	bundleFlags
	format
}

func (inspectCommand) Help() string {
	return "Examples:\n  pamline inspect\n  pamline inspect pam-out/bundle\n  pamline inspect --why 3f2a91c0 pam-out/bundle"
}

func (c *inspectCommand) Run(a *app) (err error) {
	path, remove, err := c.bundle(a, c.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	bundle, conversation, err := inspect.Open(path)
	if err != nil {
		return err
	}
	if conversation != nil {
		if c.Why != "" {
			return exit.With(exit.Usage, errors.New("--why looks for a memory: name a bundle or a store instead of a conversation"))
		}
		return c.print(a, inspect.SummarizeConversation(conversation))
	}
	defer func() { err = errors.Join(err, bundle.Close()) }()
	if c.Why != "" {
		reasons, err := inspect.Why(a.ctx, bundle, c.Why)
		if err != nil {
			return err
		}
		return c.print(a, reasons)
	}
	summary, err := inspect.Summarize(a.ctx, bundle)
	if err != nil {
		return err
	}
	return c.print(a, summary)
}
