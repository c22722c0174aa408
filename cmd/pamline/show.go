package main

import (
	"errors"
	"fmt"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/inspect"
)

type showCommand struct {
	Markdown bool   `help:"Write a conversation as Markdown."`
	Branch   int    `placeholder:"N" help:"Show this branch of a conversation, numbered from 1. Default: the one with the newest message."`
	Unfold   bool   `help:"Show thoughts, tool calls and system messages in full instead of on one line."`
	ID       string `arg:"" help:"Id of a conversation, message or memory, or its first characters. CONVERSATION/MESSAGE is faster than a message alone."`
	Path     string `arg:"" optional:"" type:"path" help:"An owner of the data folder, a bundle (folder or zip) or a store file. Default: the store of the data folder."`
	bundleFlags
	format
	outgoing `kong:"-"`
}

func (showCommand) Help() string {
	return "Shows a conversation, a message with its neighbors, or a memory with its evidence, history and relations. Where a question was\n" +
		"asked or answered again, ‹2/3› is the second of three branches.\n\n" +
		"Examples:\n  pamline show 3f2a91c0\n  pamline show 3f2a91c0 --branch 2 --unfold\n  pamline show 3f2a91c0/9d10be77\n  pamline show --markdown 3f2a91c0 my-memories"
}

func (c *showCommand) Run(a *app) (err error) {
	path, remove, err := c.bundle(a, c.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	bundle, err := openBundle(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bundle.Close()) }()
	found, err := inspect.Find(a.ctx, bundle, c.ID)
	if err != nil {
		return err
	}
	if found.Memory != nil {
		if c.isWithheld(found.Memory) {
			return fmt.Errorf("find %q: %w", c.ID, inspect.ErrNothing)
		}
		if c.Branch != 0 || c.Markdown {
			return exit.With(exit.Usage, errors.New("show: --branch and --markdown are for conversations: this is the id of a memory"))
		}
		reasons, err := inspect.Why(a.ctx, bundle, found.Memory.ID)
		if err != nil {
			return err
		}
		withheld, err := c.withheldIn(bundle)
		if err != nil {
			return err
		}
		leaveOut(reasons, withheld)
		return c.print(a, reasons)
	}
	reading, err := inspect.Read(found, c.Branch)
	if errors.Is(err, inspect.ErrNoBranch) {
		return exit.With(exit.Usage, err)
	}
	if err != nil {
		return err
	}
	return c.print(a, &inspect.Page{Reading: reading, Markdown: c.Markdown, Unfold: c.Unfold})
}
