package publish

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

const embeddingsSuffix = ".embeddings.json"

// putEmbeddings stores the embeddings file of an export (PAM §12), if there are vectors, and gives
// its digest and length.
func (o Options) putEmbeddings(ctx context.Context, owner string, at moment, res *assemble.Result) (sum string, size int64, err error) {
	if res.Digests().Embeddings == "" {
		return "", 0, nil
	}
	f, err := os.CreateTemp(o.Scratch, "embeddings-*.json")
	if err != nil {
		return "", 0, fmt.Errorf("compose embeddings: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // scratch is emptied at the next start
	defer f.Close()
	w := bufio.NewWriterSize(f, 256<<10)
	if err := pamio.WriteEmbeddings(w, res.Embeddings.Reader()); err != nil {
		return "", 0, fmt.Errorf("compose embeddings: %w", err)
	}
	if err := w.Flush(); err != nil {
		return "", 0, fmt.Errorf("compose embeddings: %w", err)
	}
	if err := o.checkDocument(ctx, f.Name()); err != nil {
		return "", 0, err
	}
	return o.putFile(ctx, state.ExportKey(owner, at.ExportID, embeddingsSuffix), f)
}
