package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/pamline/pamline/cmd/internal/wiring"

	"github.com/pamline/pamline/interop/convert"
)

// exportMIF gives the store as a document of the Memory Interchange Format, without what only
// serves to convert back.
func (t *mcpTools) exportMIF(ctx context.Context) (text string, err error) {
	folder, remove, err := scratch("")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, remove()) }()
	path, release, err := t.bundle(t.app, t.Path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, release()) }()
	b, err := openBundle(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var out bytes.Buffer
	if _, err := convert.MIFFromPAM(ctx, b, convert.Options{Scratch: folder, Clean: true, Generator: wiring.Generator}, &out); err != nil {
		return "", fmt.Errorf("export memories: %w", err)
	}
	return out.String(), nil
}
