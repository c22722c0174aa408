package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// shortestStripKey is the smallest file that makes pseudonyms nobody can guess.
const shortestStripKey = 16

// stripKey is the secret of the pseudonyms; nil without --strip-identifiers.
func (c *exportCommand) stripKey() ([]byte, error) {
	switch {
	case !c.StripIdentifiers && c.StripKey != "":
		return nil, errors.New("export: --strip-key belongs to --strip-identifiers")
	case !c.StripIdentifiers:
		return nil, nil
	case c.StripKey == "" && c.Since != "":
		return nil, errors.New("export: --since with --strip-identifiers needs --strip-key, with the file that the earlier export was stripped with: " +
			"otherwise no id of the delta is one of that export")
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	if c.StripKey == "" {
		return key, nil
	}
	text, err := os.ReadFile(c.StripKey)
	if errors.Is(err, fs.ErrNotExist) && c.Since == "" {
		if err := os.WriteFile(c.StripKey, key, 0o600); err != nil {
			return nil, fmt.Errorf("write strip key: %w", err)
		}
		return key, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read strip key: %w", err)
	}
	if len(text) < shortestStripKey {
		return nil, fmt.Errorf("read strip key: %s has %d bytes; a secret has %d or more", c.StripKey, len(text), shortestStripKey)
	}
	return text, nil
}

func writeStripped(p *printer, stripped bool) {
	if stripped {
		p.field("stripped", "ids, names, raw metadata, quotes and file names; texts stay as they are")
		p.line("The signature, if any, is gone with them. To sign: pamline sign --key FILE; a key that is known as yours identifies you.")
	}
}
