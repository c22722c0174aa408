package publish

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

const specURI = "https://portable-ai-memory.org/spec/v1.0"

// moment is what belongs to the moment of publishing. It is drawn once for an input set and recorded before the first
// write, so that a crash in between publishes the same bytes.
type moment struct {
	V          int    `json:"v"`
	ExportID   string `json:"export_id"`
	ExportDate string `json:"export_date"`
}

// nextHead publishes what res says and gives the head that names it. When the head says the same already it only
// records the input set; when that is the same too, the head is returned as it is. drawn is the key of the recorded
// moment in the work folder of the import work; it has served when the head is swapped.
func nextHead(ctx context.Context, d Options, owner, work string, head state.Head, inputs state.Inputs, res *assemble.Result) (next state.Head, drawn string, err error) {
	body, err := state.EncodeJSON(inputs)
	if err != nil {
		return head, "", err
	}
	next = head
	sum := sha256.Sum256(body)
	next.Inputs = hex.EncodeToString(sum[:])
	if next.Inputs == head.Inputs && sameContent(head, res) {
		return head, "", nil
	}
	if _, err := blob.PutAbsentAll(ctx, d.Store, []blob.Item{{Key: state.InputsKey(owner, next.Inputs), Body: body}}); err != nil {
		return head, drawn, err
	}
	next.V = 1
	next.Sequence++
	if sameContent(head, res) {
		return next, "", nil
	}
	drawn = state.WorkKey(owner, work, "publish-"+state.Digest(next.Inputs + res.Checksum + res.Relations.Digest + res.Index.Digest + res.Digests().Embeddings)[:32]+".json")
	at, err := drawMoment(ctx, d, drawn)
	if err != nil {
		return head, drawn, err
	}
	c := res.Digests()
	next.Memories, next.Relations, next.Index, next.Embeddings = c.Memories, c.Relations, c.Index, c.Embeddings
	next.ExportID = at.ExportID
	next.MemoryCount, next.ConversationCount = res.Memories.Count, res.Index.Count
	if next.Store, next.Size, err = putStore(ctx, d, owner, at, res); err != nil {
		return head, drawn, err
	}
	if next.EmbeddingsSize, err = putEmbeddings(ctx, d, owner, at, res); err != nil {
		return head, drawn, err
	}
	if err := putFoldIndex(ctx, d, state.ExportKey(owner, at.ExportID, ".fold.zst"), res); err != nil {
		return head, drawn, err
	}
	return next, drawn, nil
}

func sameContent(h state.Head, res *assemble.Result) bool {
	return h.ExportID != "" && res.SameAs(assemble.Digests{Memories: h.Memories, Relations: h.Relations, Index: h.Index, Embeddings: h.Embeddings})
}

func drawMoment(ctx context.Context, d Options, key string) (moment, error) {
	at := moment{V: 1, ExportID: d.NewID(), ExportDate: pamio.FormatTime(d.Now())}
	for {
		err := state.SwapJSON(ctx, d.Store, key, "", at)
		if !errors.Is(err, blob.ErrPrecondition) {
			return at, err
		}
		var drawn moment
		_, err = state.ReadJSON(ctx, d.Store, key, &drawn)
		if state.IsMissing(err) {
			continue // it served another assembler, who removed it
		}
		return drawn, err
	}
}

// putStore composes the store in a scratch file, validates it, and stores it under its export id.
func putStore(ctx context.Context, d Options, owner string, at moment, res *assemble.Result) (sum string, size int64, err error) {
	f, err := os.CreateTemp(d.Scratch, "store-*.json")
	if err != nil {
		return "", 0, fmt.Errorf("compose store: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // scratch is emptied at the next start
	defer f.Close()
	header := pamio.Header{
		SpecURI: specURI, ExportID: at.ExportID, ExportDate: at.ExportDate, ExportedBy: contractName,
		Owner: pamio.Owner{ID: owner}, ExportType: "full",
	}
	integrity := pamio.Integrity{Canonicalization: "RFC8785", Checksum: res.Checksum, TotalMemories: res.Memories.Count}
	h := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(f, h), 256<<10)
	err = pamio.WriteStore(buffered, header, res.Memories.Reader(), res.Relations.Reader(), res.Index.Reader(), integrity, nil)
	if flushed := buffered.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		return "", 0, fmt.Errorf("compose store: %w", err)
	}
	if err := CheckDocument(ctx, d, f.Name()); err != nil {
		return "", 0, err
	}
	if size, err = f.Seek(0, io.SeekEnd); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return "", 0, fmt.Errorf("compose store: %w", err)
	}
	_, err = d.Store.Put(ctx, state.ExportKey(owner, at.ExportID, ".json"), f, blob.PutOptions{})
	return hex.EncodeToString(h.Sum(nil)), size, err
}

func putFoldIndex(ctx context.Context, d Options, key string, res *assemble.Result) error {
	r, w := io.Pipe()
	var packing sync.WaitGroup
	packing.Go(func() {
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err == nil {
			_, err = io.Copy(z, res.FoldIndex.Reader())
			err = errors.Join(err, z.Close())
		}
		w.CloseWithError(err)
	})
	_, err := d.Store.Put(ctx, key, r, blob.PutOptions{})
	r.CloseWithError(io.ErrClosedPipe) // ends the packing of a failed Put
	packing.Wait()                     // the spool is the caller's again
	return err
}

// CheckDocument validates a store or its embeddings before anybody can see them. Its conversation files were checked when
// they were made.
func CheckDocument(ctx context.Context, d Options, file string) error {
	target, closer, err := validate.Open(file)
	if err != nil {
		return fmt.Errorf("validate export: %w", err)
	}
	defer closer.Close()
	var first string
	report, err := validate.Run(ctx, target, validate.Options{
		SkipConversations: true, Scratch: d.Scratch, Budget: d.SortBudget / 4, MaxFindings: 1,
		OnFinding: func(f validate.Finding) {
			if first == "" && f.Severity == validate.Error {
				first = f.ID + " at " + f.Pointer
			}
		},
	})
	if err != nil {
		return fmt.Errorf("validate export: %w", err)
	}
	if report.Verdict() != validate.Valid {
		return fault.Permanentf("this is a fault of pamline; the store is unchanged; please report it with the receipt",
			"validate export: %d errors, the first: %s", report.Errors, first)
	}
	return nil
}
