package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/masterkey"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
)

type keyCommand struct {
	Show    keyShowCommand    `cmd:"" help:"Show whether the store is encrypted, and where the master key is."`
	Create  keyCreateCommand  `cmd:"" help:"Make a master key."`
	Backup  keyBackupCommand  `cmd:"" help:"Copy the master key to a file."`
	Restore keyRestoreCommand `cmd:"" help:"Put a backup of the master key in its place."`
	Rotate  keyRotateCommand  `cmd:"" help:"Replace the master key by a new one."`
	Convert keyConvertCommand `cmd:"" help:"Encrypt an existing store, or decrypt it."`
}

// keyFlags choose the store and its master key.
type keyFlags struct {
	Data string `placeholder:"DIR" type:"path" help:"The data folder. Default: the user data folder."`
	settings
	format
}

func (f keyFlags) open(a *app) (*config.Config, error) {
	return f.load(a, map[string]string{"data": f.Data})
}

// withBare uses a store as it lies, without decryption. Nobody else uses the data folder meanwhile.
func withBare(a *app, c *config.Config, use func(blob.Store) error) (err error) {
	if err := requireStore(c); err != nil {
		return err
	}
	data, err := datadir.Open(c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	s, closeStore, err := wiring.BareStore(a.ctx, c, data.Join(datadir.StoreFolder))
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	return errors.Join(use(s), closeStore())
}

// keyFile is the file of the master key. A key that a command gives has none.
func keyFile(c *config.Config, what string) (string, error) {
	if c.Encryption.KeyCommand != "" {
		return "", exit.With(exit.Usage, fmt.Errorf("%s: encryption.key_command gives the key, so it is kept elsewhere: use the tools of that place", what))
	}
	return masterkey.Path(c.Encryption)
}

type keyShowCommand struct{ keyFlags }

func (keyShowCommand) Help() string {
	return "Shows whether the store is encrypted, the id of the master key, and where the key is. The key itself is never shown.\n\n" +
		"Example:\n  pamline key show"
}

// shownKey is the report of key show.
type shownKey struct {
	Store   sealed.State `json:"store"`
	Wants   string       `json:"store_key,omitempty"` // the id of the key that the store was encrypted with
	Source  string       `json:"key_source"`
	ID      string       `json:"key,omitempty"`
	Earlier []string     `json:"earlier_keys,omitempty"`
	Owners  int          `json:"owners"`
}

func (k *shownKey) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("The store is %s.", k.Store)
	if k.Wants != "" {
		p.field("store's key", "%s", k.Wants)
	}
	if k.ID == "" {
		p.field("master key", "none in %s", k.Source)
	} else {
		p.field("master key", "%s in %s", k.ID, k.Source)
	}
	for _, id := range k.Earlier {
		p.field("earlier key", "%s: a rotation was interrupted; repeat pamline key rotate", id)
	}
	p.field("owners", "%d with a data key", k.Owners)
	return p.err
}

func (c *keyShowCommand) Run(a *app) error {
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	shown := &shownKey{Store: sealed.Plain, Source: "encryption.key_command"}
	if loaded.Encryption.KeyCommand == "" {
		if shown.Source, err = masterkey.Path(loaded.Encryption); err != nil {
			return err
		}
	}
	m, err := masterkey.Read(a.ctx, loaded.Encryption)
	switch {
	case err == nil:
		shown.ID, shown.Earlier = m.ID(), m.IDs()[1:]
	case !errors.Is(err, masterkey.ErrNone):
		return err
	}
	if err := requireStore(loaded); err == nil {
		data, err := datadir.Look(loaded.Data)
		if err != nil {
			return err
		}
		s, closeStore, err := wiring.BareView(a.ctx, loaded, data.Join(datadir.StoreFolder))
		if err != nil {
			return err
		}
		if shown.Store, shown.Wants, err = sealed.ReadState(a.ctx, s); err == nil {
			var owners []string
			owners, err = sealed.NewKeyring(s, nil, nil).Owners(a.ctx)
			shown.Owners = len(owners)
		}
		if err := errors.Join(err, closeStore()); err != nil {
			return err
		}
	}
	return c.print(a, shown)
}

type keyCreateCommand struct{ keyFlags }

func (keyCreateCommand) Help() string {
	return "Makes a master key, for the workers of a bucket or to convert a data folder. A new data folder makes one by itself if encryption.new is\n" +
		"set. Without the key nobody can read what is encrypted with it: make a copy with pamline key backup. An existing key is never replaced.\n\n" +
		"Example:\n  pamline key create --set encryption.key_file=/etc/pamline/master.key"
}

func (c *keyCreateCommand) Run(a *app) error {
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	path, err := keyFile(loaded, "make master key")
	if err != nil {
		return err
	}
	m, err := masterkey.Make(path)
	if errors.Is(err, fs.ErrExist) {
		return exit.With(exit.Usage, fmt.Errorf("make master key: %s exists and is not replaced: pamline key rotate replaces a key", path))
	}
	if err != nil {
		return err
	}
	a.say("without this key nobody can read what is encrypted with it: keep a copy elsewhere (pamline key backup FILE)")
	return c.print(a, &savedKey{ID: m.ID(), File: path})
}

// savedKey is the report of what writes a key file.
type savedKey struct {
	ID   string `json:"key"`
	File string `json:"file"`
}

func (k *savedKey) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("Master key %s", k.ID)
	p.field("file", "%s", k.File)
	return p.err
}

type keyBackupCommand struct {
	File string `arg:"" type:"path" help:"The new file. An existing one is never replaced."`
	keyFlags
}

func (keyBackupCommand) Help() string {
	return "Copies the master key to a file that only you can read. Whoever has the file can read every store that the key encrypts; without\n" +
		"the key, nobody can. Keep the copy apart from the data and its backups: in a password manager, on a medium in a drawer.\n\n" +
		"Example:\n  pamline key backup /media/stick/pamline.key"
}

func (c *keyBackupCommand) Run(a *app) error {
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	m, err := masterkey.Read(a.ctx, loaded.Encryption)
	if err != nil {
		return exit.With(exit.Failed, err)
	}
	if err := writeKeyFile(c.File, m, "back up master key"); err != nil {
		return err
	}
	return c.print(a, &savedKey{ID: m.ID(), File: c.File})
}

func writeKeyFile(path string, m *sealed.LocalMaster, what string) error {
	err := masterkey.WriteNew(path, m)
	if errors.Is(err, fs.ErrExist) {
		err = exit.With(exit.Usage, fmt.Errorf("%s: %s exists and is not replaced", what, path))
	}
	return err
}

type keyRestoreCommand struct {
	File string `arg:"" type:"path" help:"The backup of a master key."`
	keyFlags
}

func (keyRestoreCommand) Help() string {
	return "Puts a backup of the master key in its place. A key that is there is not replaced. If the data folder is there and encrypted with\n" +
		"another key, the backup is refused.\n\n" +
		"Example:\n  pamline key restore /media/stick/pamline.key"
}

func (c *keyRestoreCommand) Run(a *app) error {
	loaded, err := c.open(a)
	if err != nil {
		return err
	}
	m, err := masterkey.ReadFile(c.File)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	path, err := keyFile(loaded, "restore master key")
	if err != nil {
		return err
	}
	if err := requireStore(loaded); err == nil {
		err := withBare(a, loaded, func(s blob.Store) error {
			return wiring.CheckMaster(a.ctx, s, m)
		})
		if err != nil {
			return exit.With(exit.Failed, fmt.Errorf("restore master key: %w", err))
		}
	}
	if err := writeKeyFile(path, m, "restore master key"); err != nil {
		return err
	}
	return c.print(a, &savedKey{ID: m.ID(), File: path})
}
