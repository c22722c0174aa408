package stagetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/publish"
)

// Format is a format whose files list the files of a bundle, one in each line: its digest, its
// name, and its text in quotes.
func Format(end string) publish.Format {
	return publish.Format{Name: "list", End: end, Write: func(ctx context.Context, b *pamio.Bundle, _ string, w io.Writer) error {
		return fs.WalkDir(b.FS(), ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			body, err := fs.ReadFile(b.FS(), name)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "%x %s %q\n", sha256.Sum256(body), name, body)
			return err
		})
	}}
}
