package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/sums"
)

// signFiles lists the digests of the files of a bundle, that of the signed store among them, and
// gives the list and its signature to be put beside the store. A store that stands alone, or is
// written to another place, has no list.
func (c *signCommand) signFiles(ctx context.Context, file *storefile.File, folder string, store func(io.Writer) error, sign func(digest string) ([]byte, error)) (beside []storefile.Beside, err error) {
	if !file.IsBundle() || c.Out != "" && !file.IsZip() {
		return nil, nil
	}
	list := sums.NewList(folder)
	defer func() { err = errors.Join(err, list.Close()) }()
	if err := c.listFiles(ctx, file, folder, list); err != nil {
		return nil, err
	}
	h := sha256.New()
	if err := store(h); err != nil {
		return nil, err
	}
	if err := list.Add(pamio.StoreFile, hex.EncodeToString(h.Sum(nil))); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(folder, "sums-*")
	if err != nil {
		return nil, fmt.Errorf("list digests: %w", err)
	}
	digest, err := list.Write(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	text, err := sign(digest)
	if err != nil {
		return nil, err
	}
	return []storefile.Beside{
		{Name: sums.File, Write: func(w io.Writer) error { return copyFile(w, f.Name()) }},
		{Name: sums.SignatureFile, Write: func(w io.Writer) error { _, err := w.Write(text); return err }},
	}, nil
}

// listFiles adds the files beside the store. A bundle that is not as its own list says is not
// signed; the store may be another one, for a signing that was interrupted has replaced it.
func (c *signCommand) listFiles(ctx context.Context, file *storefile.File, folder string, list *sums.List) error {
	bundle := file.Bundle().FS()
	_, err := sums.Check(ctx, bundle, folder, func(p sums.Problem) error {
		if p.File == pamio.StoreFile && p.Kind == sums.Differs {
			return nil
		}
		return fmt.Errorf("sign: %s; see pamline validate %s", p, c.Path)
	})
	if err != nil {
		return err
	}
	return sums.EachFile(bundle, ".", func(name string) error {
		if name == pamio.StoreFile {
			return nil
		}
		digest, _, err := sums.DigestOf(bundle, name)
		if err != nil {
			return fmt.Errorf("sign %s: %w", name, err)
		}
		return list.Add(name, digest)
	})
}

func copyFile(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}
