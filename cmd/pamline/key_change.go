package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/masterkey"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
)

type keyRotateCommand struct {
	Reencrypt bool `help:"Also give each owner a new data key, and encrypt all objects with it."`
	keyFlags
}

func (keyRotateCommand) Help() string {
	return "Makes a new master key and wraps the data keys of all owners with it. Objects are not encrypted again, so this is fast; --reencrypt does\n" +
		"that, too. The earlier key is moved to a file beside the new one, named after its id: other stores that were encrypted with it and earlier\n" +
		"backups of this one need it. Remove that file when nothing does, and make a backup of the new key.\n" +
		"Stop the service and workers first. An interrupted rotation resumes when the command is repeated.\n\n" +
		"Example:\n  pamline key rotate"
}

func (c *keyRotateCommand) Run(a *app) error {
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	path, err := keyFile(loaded, "rotate master key")
	if err != nil {
		return err
	}
	var m *sealed.LocalMaster
	var earlier string
	err = withBare(a, loaded, func(s blob.Store) error {
		if m, earlier, err = c.rotate(a, loaded, path, s); err != nil {
			return fmt.Errorf("rotate master key: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	a.say("the earlier key is kept in %s: other stores that were encrypted with it (encryption.key_file) and earlier backups need it", earlier)
	a.say("remove that file when nothing needs it, and make a backup of the new key (pamline key backup FILE)")
	return c.print(a, &savedKey{ID: m.ID(), File: path})
}

// rotate gives the new key and the file that keeps the earlier one.
func (c *keyRotateCommand) rotate(a *app, loaded *config.Config, path string, s blob.Store) (m *sealed.LocalMaster, earlier string, err error) {
	state, _, err := sealed.ReadState(a.ctx, s)
	if err == nil && state != sealed.Encrypted {
		err = exit.With(exit.Failed, fmt.Errorf("the store is %s", state))
	}
	if err != nil {
		return nil, "", err
	}
	m, err = masterkey.Read(a.ctx, loaded.Encryption)
	if err != nil {
		return nil, "", exit.With(exit.Failed, err)
	}
	if err := wiring.CheckMaster(a.ctx, s, m); err != nil {
		return nil, "", exit.With(exit.Failed, err)
	}
	if len(m.IDs()) == 1 { // else an interrupted rotation goes on
		if err := masterkey.WriteNew(earlierKeyFile(path, m.ID()), m); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, "", err
		}
		if m, err = m.Rotated(); err != nil {
			return nil, "", err
		}
		if err := masterkey.Replace(path, m); err != nil {
			return nil, "", err
		}
	}
	store := wiring.Sealed(s, m)
	owners, err := store.Keys().Owners(a.ctx)
	if err != nil {
		return nil, "", err
	}
	for _, owner := range owners {
		if c.Reencrypt {
			err = store.Renew(a.ctx, owner, wiring.Roots(owner)...)
		} else {
			err = store.Keys().Rewrap(a.ctx, owner)
		}
		if err != nil {
			return nil, "", err
		}
	}
	if err := sealed.WriteState(a.ctx, s, sealed.Encrypted, m); err != nil {
		return nil, "", err
	}
	earlier = earlierKeyFile(path, m.IDs()[1])
	m = m.Current()
	return m, earlier, masterkey.Replace(path, m)
}

// earlierKeyFile is where a rotation keeps the key of an id.
func earlierKeyFile(path, id string) string { return path + "." + id }

type keyConvertCommand struct {
	To  string `enum:"encrypted,plain" default:"encrypted" help:"What the store becomes: encrypted or plain."`
	Yes bool   `short:"y" help:"Do not explain what the loss of the key would mean."`
	keyFlags
}

func (keyConvertCommand) Help() string {
	return "Encrypts a store that has been used without encryption, object by object, or decrypts it with --to plain. Stop the service and\n" +
		"workers first. An interrupted conversion resumes when the command is repeated; until then other commands refuse the store.\n" +
		"Earlier copies are not reached: backups, old versions in a bucket, and what a disk keeps of replaced files.\n" +
		"Exit codes: 0 done, or nothing to do; 1 not done; 2 usage error.\n\n" +
		"Examples:\n  pamline key convert\n  pamline key convert --to plain"
}

// converted is the report of key convert.
type converted struct {
	Store   sealed.State `json:"store"`
	Objects int          `json:"objects"`
	Changed int          `json:"changed"`
}

func (k *converted) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("The store is %s: %s, %d changed.", k.Store, pluralNoun(int64(k.Objects), "object"), k.Changed)
	return p.err
}

func (c *keyConvertCommand) Run(a *app) error {
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	report := &converted{}
	err = withBare(a, loaded, func(s blob.Store) error { return c.convert(a, loaded, s, report) })
	if err != nil {
		return fmt.Errorf("convert store: %w", err)
	}
	return c.print(a, report)
}

func (c *keyConvertCommand) convert(a *app, loaded *config.Config, s blob.Store, report *converted) error {
	is, _, err := sealed.ReadState(a.ctx, s)
	if err != nil {
		return err
	}
	if is == sealed.Plain && c.To == "plain" {
		report.Store = sealed.Plain
		return nil
	}
	m, err := masterkey.Read(a.ctx, loaded.Encryption)
	if errors.Is(err, masterkey.ErrNone) && is == sealed.Plain {
		m, err = c.makeKey(a, loaded)
	}
	if err != nil {
		return exit.With(exit.Failed, err)
	}
	if err := wiring.CheckMaster(a.ctx, s, m); err != nil {
		return exit.With(exit.Failed, err)
	}
	show := progress.New(a.stderr, a.terminal)
	defer show.Stop()
	count := func(_ blob.Object, changed bool) {
		report.Objects++
		if changed {
			report.Changed++
		}
		show.Count("converting", int64(report.Objects), 0)
	}
	store := wiring.Sealed(s, m)
	if c.To == "plain" {
		report.Store = sealed.Plain
		return store.Decrypt(a.ctx, count)
	}
	report.Store = sealed.Encrypted
	if err := removeIndexes(loaded); err != nil {
		return err
	}
	return store.Encrypt(a.ctx, count)
}

// makeKey makes the master key. The consequences of its loss are said first.
func (c *keyConvertCommand) makeKey(a *app, loaded *config.Config) (*sealed.LocalMaster, error) {
	path, err := keyFile(loaded, "make master key")
	if err != nil {
		return nil, err
	}
	if !c.Yes {
		a.say("the master key is made in %s. Without it nobody can read this store, the archives included: keep a copy elsewhere (pamline key backup FILE)", path)
		if a.terminal {
			a.say("the conversion begins in 5 seconds; Ctrl-C stops it")
			select {
			case <-time.After(5 * time.Second):
			case <-a.ctx.Done():
				return nil, a.ctx.Err()
			}
		}
	}
	return masterkey.Make(path)
}
