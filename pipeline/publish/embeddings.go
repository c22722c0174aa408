package publish

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

const embeddingsSuffix = ".embeddings.json"

// putEmbeddings stores the embeddings file of an export (PAM §12), when there are vectors, and gives its length.
func putEmbeddings(ctx context.Context, d Options, owner string, at moment, res *assemble.Result) (size int64, err error) {
	if res.Digests().Embeddings == "" {
		return 0, nil
	}
	f, err := os.CreateTemp(d.Scratch, "embeddings-*.json")
	if err != nil {
		return 0, fmt.Errorf("compose embeddings: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // scratch is emptied at the next start
	defer f.Close()
	w := bufio.NewWriterSize(f, 256<<10)
	if err := pamio.WriteEmbeddings(w, res.Embeddings.Reader()); err != nil {
		return 0, fmt.Errorf("compose embeddings: %w", err)
	}
	if err := w.Flush(); err != nil {
		return 0, fmt.Errorf("compose embeddings: %w", err)
	}
	if err := CheckDocument(ctx, d, f.Name()); err != nil {
		return 0, err
	}
	if size, err = f.Seek(0, io.SeekEnd); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, fmt.Errorf("compose embeddings: %w", err)
	}
	_, err = d.Store.Put(ctx, state.ExportKey(owner, at.ExportID, embeddingsSuffix), f, blob.PutOptions{})
	return size, err
}
