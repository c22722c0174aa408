package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/inspect"
	"github.com/pamline/pamline/interop/render"
	"github.com/pamline/pamline/pamio"
)

// notesForm is the form that is a folder.
const notesForm = "obsidian"

type renderCommand struct {
	For       string `required:"" placeholder:"FORM" help:"chatgpt, claude, gemini, copilot, system-prompt, markdown or obsidian."`
	To        string `name:"to" short:"o" placeholder:"OUT" type:"path" help:"Where to write: a file, for obsidian a new folder. Default: standard output."`
	Limit     int    `placeholder:"N" help:"How many characters each part may have; -1 sets no limit. Default: that of the form."`
	Sensitive bool   `help:"Also write memories about health, faith and the like."`
	Sources   bool   `help:"Add the assistant and the date that each memory comes from."`
	Path      string `arg:"" optional:"" type:"path" help:"An owner of the data folder, a bundle (folder or zip) or a store file. Default: the store of the data folder."`
	bundleFlags
}

func (renderCommand) Help() string {
	return "Writes active memories in the form that an assistant takes: custom instructions and lines to paste (chatgpt, gemini, copilot), the\n" +
		"list that Claude imports (claude), a system prompt, one Markdown document, or a folder of linked notes with all conversations\n" +
		"(obsidian). If there is not enough room, the least certain and oldest memories are left out. Sensitive memories are left out unless --sensitive asks\n" +
		"for them; memories marked exportable: false are never written. pamline import --provider manual reads the form for claude back.\n\n" +
		"Examples:\n  pamline render --for claude\n  pamline render --for system-prompt --limit 4000 -o prompt.txt\n  pamline render --for obsidian -o notes my-memories"
}

func (c *renderCommand) Run(a *app) (err error) {
	if c.For == notesForm && c.To == "" {
		return exit.With(exit.Usage, errors.New("render: --for obsidian writes a folder: name it with -o"))
	}
	forms := append(render.Targets(), notesForm)
	if !slices.Contains(forms, c.For) {
		return exit.With(exit.Usage, fmt.Errorf("render: there is no form %q: use one of %s", c.For, strings.Join(forms, ", ")))
	}
	path, remove, err := c.bundle(a, c.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b, err := openBundle(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	o := render.Options{Limit: c.Limit, Sensitive: c.Sensitive, Sources: c.Sources}
	list, notes, err := chosenMemories(b, o)
	if err != nil {
		return err
	}
	if c.For == notesForm {
		return c.writeNotes(a, b, list, notes, o)
	}
	r, err := render.Text(list, c.For, o)
	if err != nil {
		return err
	}
	if r.Text == "" {
		a.say("there is no memory to write; pamline memories --status active lists what there is")
	}
	if r.LeftOut > 0 {
		a.say("%s written, %d left out: there is room for %d characters. --limit N changes that", pluralNoun(int64(r.Written), "memory"), r.LeftOut, r.Limit)
	}
	if c.To == "" {
		if _, err := io.WriteString(a.stdout, r.Text); err != nil {
			return fmt.Errorf("render memories: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(c.To, []byte(r.Text), 0o600); err != nil {
		return fmt.Errorf("render memories: %w", err)
	}
	return nil
}

// chosenMemories reads the memories to render, and the names of the conversations.
func chosenMemories(b *pamio.Bundle, o render.Options) (list []render.Memory, notes map[string]render.Note, err error) {
	f, err := b.OpenStore()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	notes = map[string]render.Note{}
	err = pamio.ReadStore(f, pamio.Visitor{
		Memory: func(e pamio.Element) error {
			m, err := pamio.ParseMemory(e.Raw)
			if err == nil {
				if chosen, ok := o.Choose(m); ok {
					list = append(list, chosen)
				}
			}
			return err
		},
		IndexEntry: func(e pamio.Element) error {
			entry, err := pamio.ParseIndexEntry(e.Raw)
			if err == nil {
				notes[entry.ID] = noteOf(entry)
			}
			return err
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("render memories: %w: pamline validate says what is wrong with the store", err)
	}
	return list, notes, nil
}

func noteOf(e *pamio.IndexEntry) (n render.Note) {
	if e.Title != nil {
		n.Title = *e.Title
	}
	if day, _, ok := strings.Cut(e.Temporal.CreatedAt, "T"); ok && !strings.HasPrefix(day, "1970") {
		n.Date = day
	}
	return n
}

// writeNotes writes a folder of notes: those of the memories, and one for each conversation.
func (c *renderCommand) writeNotes(a *app, b *pamio.Bundle, list []render.Memory, notes map[string]render.Note, o render.Options) (err error) {
	if err := os.MkdirAll(filepath.Dir(c.To), 0o700); err != nil {
		return fmt.Errorf("render notes: %w", err)
	}
	if err := os.Mkdir(c.To, 0o700); err != nil {
		if errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("%s exists: name a new folder", c.To)
		}
		return fmt.Errorf("render notes: %w", err)
	}
	root, err := os.OpenRoot(c.To) // no name of a note leads out
	if err != nil {
		return fmt.Errorf("render notes: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	write := func(name string, fill func(io.Writer) error) error {
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o700); err != nil {
			return fmt.Errorf("render notes: %w", err)
		}
		f, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("render notes: %w", err)
		}
		w := bufio.NewWriter(f)
		return errors.Join(fill(w), w.Flush(), f.Close())
	}
	var count int64
	err = render.Notes(list, notes, o, func(name, text string) error {
		return write(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	})
	if err != nil {
		return err
	}
	for file, err := range b.Conversations(0) {
		if err := errors.Join(err, a.ctx.Err()); err != nil {
			return fmt.Errorf("render notes: %w", err)
		}
		if file.Raw == nil {
			continue // the index names a conversation that the bundle does not have
		}
		doc, err := pamio.ParseConversation(file.Raw)
		if err != nil {
			return fmt.Errorf("render conversation %s: %w", file.Entry.ID, err)
		}
		reading, err := inspect.Read(&inspect.Target{Conversation: doc, Message: -1}, 0)
		if err != nil {
			return err
		}
		page := &inspect.Page{Reading: reading, Markdown: true}
		if err := write(render.ConversationNote(file.Entry.ID, notes[file.Entry.ID])+".md", page.WriteText); err != nil {
			return err
		}
		count++
	}
	a.say("%s: %s and %s", c.To, pluralNoun(int64(len(list)), "memory"), pluralNoun(count, "conversation"))
	return nil
}
