package main

import (
	"errors"
	"iter"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/inspect"
	"github.com/pamline/pamline/pamio"
)

type inspectCommand struct {
	Why           string `placeholder:"MEMORY" xor:"what" help:"Show where this memory comes from: its id, or the first characters of it."`
	Memories      bool   `xor:"what" help:"List all memories."`
	Conversations bool   `xor:"what" help:"List all conversations."`
	Path          string `arg:"" optional:"" type:"path" help:"An owner of the data folder, a bundle (folder or zip), a store file, a conversation file, or what import reads. Default: the store of the data folder."`
	bundleFlags
	format
}

func (inspectCommand) Help() string {
	return "Examples:\n  pamline inspect\n  pamline inspect --memories my-memories\n  pamline inspect --conversations --format json my-memories\n  pamline inspect --why 3f2a91c0 my-memories"
}

func (c *inspectCommand) Run(a *app) (err error) {
	path, remove, err := c.bundle(a, c.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if known, err := c.otherFormat(a, path); known || err != nil {
		return err
	}
	bundle, conversation, err := inspect.Open(path)
	if err != nil {
		return err
	}
	if conversation != nil {
		if c.Why != "" || c.Memories || c.Conversations {
			return exit.With(exit.Usage, errors.New("inspect: --why, --memories and --conversations need a bundle or a store: this is a conversation file"))
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
	if c.Memories || c.Conversations {
		return c.list(a, bundle)
	}
	summary, err := inspect.Summarize(a.ctx, bundle)
	if err != nil {
		return err
	}
	return c.print(a, summary)
}

// list writes all memories or conversations.
func (c *inspectCommand) list(a *app, b *pamio.Bundle) error {
	if c.Memories {
		return printList(a, c.format, "memories", 0, func(folder string) iter.Seq2[inspect.Memory, error] {
			return inspect.Memories(a.ctx, b, folder, nil)
		})
	}
	return printList(a, c.format, "conversations", 0, func(folder string) iter.Seq2[inspect.Conversation, error] {
		return inspect.Conversations(a.ctx, b, folder, false, nil)
	})
}
