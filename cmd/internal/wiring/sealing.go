package wiring

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/masterkey"
	"github.com/pamline/pamline/cmd/internal/paths"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// Sealing says what opening a store may do about its encryption.
type Sealing struct {
	// Begin: a new store is marked as encrypted, if the settings want that.
	Begin bool
	// View: somebody waits for the store to be opened, and wants to know within seconds that it
	// does not answer.
	View bool
	// Began hears of a new store that was marked, with the place of its master key, which is made
	// for a data folder if there is none. Nil: no key is made.
	Began func(key string)
	// Data is the folder that a new master key must not lie in, "" for none.
	Data string
}

// seal decorates a store that is encrypted, or that is to be. One that does not answer is asked
// again when it is used: an outage is for whoever works on it to wait for.
func (o Sealing) seal(ctx context.Context, s blob.Store, c *config.Config) (blob.Store, error) {
	resolve := func(ctx context.Context) (blob.Store, error) { return o.decorate(ctx, s, c) }
	if o.View {
		return askOnce(ctx, resolve)
	}
	found, err := resolve(ctx)
	if isFailure(err) {
		return &pending{resolve: resolve}, nil
	}
	return found, err
}

// askOnce gives up with an outage if the store does not answer soon.
func askOnce(ctx context.Context, resolve func(context.Context) (blob.Store, error)) (found blob.Store, err error) {
	outage := status.Ask(ctx, func(ctx context.Context) error {
		if found, err = resolve(ctx); isFailure(err) || ctx.Err() != nil {
			return err
		}
		return nil
	})
	return found, cmp.Or(outage, err)
}

func (o Sealing) decorate(ctx context.Context, s blob.Store, c *config.Config) (blob.Store, error) {
	is, id, err := sealed.ReadState(ctx, s)
	if err != nil {
		return nil, err
	}
	own := c.Store.Kind == "dir" && o.Began != nil
	switch is {
	case sealed.Encrypting, sealed.Decrypting:
		return nil, exit.With(exit.Failed, errors.New("open store: its conversion was interrupted: go on with `pamline key convert`"))
	case sealed.Plain:
		if !o.Begin || !c.Encryption.BeginsEncrypted(own) {
			return s, nil
		}
		if used, err := isUsed(ctx, s); err != nil || used {
			return s, err
		}
	}
	master, err := o.master(ctx, c.Encryption, is)
	if err != nil {
		return nil, err
	}
	if id != "" && !slices.Contains(master.IDs(), id) {
		return nil, exit.With(exit.Failed, fmt.Errorf("open store: it was encrypted with the master key %s, and this one is %s: %w", id, master.ID(), sealed.ErrMaster))
	}
	if is == sealed.Plain {
		if err := sealed.WriteState(ctx, s, sealed.Encrypted, master); err != nil {
			return nil, fmt.Errorf("mark store as encrypted: %w", err)
		}
		if o.Began != nil {
			o.Began(keyPlace(c.Encryption))
		}
	}
	return Sealed(s, master), nil
}

// Sealed gives the decorator of a store.
func Sealed(s blob.Store, m sealed.Master) *sealed.Store {
	return sealed.New(s, sealed.NewKeyring(s, m, rand.Reader), state.Sealed)
}

func (o Sealing) master(ctx context.Context, c config.Encryption, is sealed.State) (*sealed.LocalMaster, error) {
	m, err := masterkey.Read(ctx, c)
	switch {
	case err == nil:
		return m, nil
	case is != sealed.Plain && errors.Is(err, masterkey.ErrNone):
		return nil, exit.With(exit.Failed, fmt.Errorf("open store: it is encrypted, but %w: `pamline key restore FILE` puts a backup of the key there; without the key nobody can read this store", err))
	case is != sealed.Plain:
		return nil, exit.With(exit.Failed, fmt.Errorf("open store: it is encrypted: %w", err))
	case !errors.Is(err, masterkey.ErrNone):
	case o.Began == nil:
		return nil, exit.With(exit.Usage, fmt.Errorf("encrypt new store: %w: make one with `pamline key create`, and give it to every worker", err))
	default:
		if m, err = o.makeMaster(c); err == nil {
			return m, nil
		}
	}
	return nil, exit.With(exit.Usage, fmt.Errorf("encrypt new store: %w. encryption.key_file names another file for the master key, outside of the data folder; encryption.new=false begins the store without encryption", err))
}

// makeMaster makes the master key of a person, or reads the one that another process has made
// meanwhile.
func (o Sealing) makeMaster(c config.Encryption) (*sealed.LocalMaster, error) {
	path, err := masterkey.Path(c)
	if err != nil {
		return nil, err
	}
	if inside, err := paths.Contains(o.Data, path); err != nil || inside {
		return nil, cmp.Or(err, fmt.Errorf("the master key %s would lie in the data folder that it protects", path))
	}
	m, err := masterkey.Make(path)
	if errors.Is(err, fs.ErrExist) {
		return masterkey.ReadFile(path)
	}
	return m, err
}

// keyPlace says where the master key is.
func keyPlace(c config.Encryption) string {
	path, err := masterkey.Path(c)
	if c.KeyCommand != "" || err != nil {
		return "the output of encryption.key_command"
	}
	return path
}

// isUsed tells whether a store has something that would be encrypted.
func isUsed(ctx context.Context, s blob.Store) (bool, error) {
	for _, root := range []string{"owners/", state.TakenRoot, state.FailedRoot, state.InboxRoot} {
		for o, err := range s.List(ctx, root) {
			if err != nil {
				return false, fmt.Errorf("open store: %w", err)
			}
			if _, ok := state.Sealed(o.Key); ok {
				return true, nil
			}
		}
	}
	return false, nil
}

// MayBeSealed tells whether a store is encrypted, or nobody knows because it has not answered yet.
func MayBeSealed(s blob.Store) bool {
	for s != nil {
		switch one := s.(type) {
		case *sealed.Store:
			return true
		case *pending:
			if one.Unwrap() == nil {
				return true
			}
		}
		outer, ok := s.(interface{ Unwrap() blob.Store })
		if !ok {
			return false
		}
		s = outer.Unwrap()
	}
	return false
}

// CheckMaster tells whether a master key opens the data keys of a store.
func CheckMaster(ctx context.Context, s blob.Store, m *sealed.LocalMaster) error {
	_, id, err := sealed.ReadState(ctx, s)
	if err == nil && id != "" && !slices.Contains(m.IDs(), id) {
		err = fmt.Errorf("the store was encrypted with the master key %s, and this one is %s: %w", id, m.ID(), sealed.ErrMaster)
	}
	return err
}

// Roots are the prefixes of what may be encrypted of an owner.
func Roots(owner string) []string {
	var roots []string
	for _, root := range []string{"owners/", state.InboxRoot, state.TakenRoot, state.FailedRoot} {
		roots = append(roots, root+owner+"/")
	}
	return roots
}
