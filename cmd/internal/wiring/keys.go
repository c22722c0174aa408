package wiring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pamio/keys"
)

// signingKeys gives the key of each owner: its own, else that of the operator; the zero key for
// none. Files are read at each call, so that a rotated key counts without a restart. It is nil if
// the settings name no key.
func signingKeys(c config.Sign) func(owner string) (keys.Private, error) {
	if c.KeyFile == "" && c.KeysDir == "" {
		return nil
	}
	return func(owner string) (keys.Private, error) {
		if c.KeysDir != "" {
			key, err := readSigningKey(filepath.Join(c.KeysDir, owner+".key"))
			if !errors.Is(err, fs.ErrNotExist) {
				return key, err
			}
		}
		if c.KeyFile == "" {
			return keys.Private{}, nil
		}
		return readSigningKey(c.KeyFile)
	}
}

// SigningKey gives the key that signs what is published for an owner, the zero key for none.
func SigningKey(c *config.Config, owner string) (keys.Private, error) {
	keyOf := signingKeys(c.Sign)
	if keyOf == nil {
		return keys.Private{}, nil
	}
	return keyOf(owner)
}

// readSigningKey reads a private key. An error never quotes the file.
func readSigningKey(file string) (keys.Private, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return keys.Private{}, err
	}
	key, err := keys.ParsePrivate(text)
	if err != nil {
		return keys.Private{}, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}
