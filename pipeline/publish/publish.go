package publish

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

const specURI = "https://portable-ai-memory.org/spec/v1.0"

// moment is what belongs to the moment of publishing. It is recorded once for each input set and
// content, before the first write: whoever publishes the same publishes the same bytes.
type moment struct {
	V          int    `json:"v"`
	ExportID   string `json:"export_id"`
	ExportDate string `json:"export_date"`
	// Signature is made at that moment, too; nil if there was no key.
	Signature *pamio.Signature `json:"signature,omitempty"`
	// Identity is what the settings said of the owner at that moment.
	Identity state.Identity `json:"identity,omitzero"`
}

// momentKey is the key of a moment. Builds that assemble differently have moments of their own, and
// so has each signer with each identity.
func momentKey(owner, inputs string, c assemble.Digests, signer string) string {
	content := objects.Digest(c.Memories + c.Relations + c.Index + c.Embeddings + signer)
	return state.OwnerKey(owner, "moments/"+inputs+"-"+content[:16]+".json")
}

// recordMoment records the moment of publishing a store of a checksum, or gives the one that was
// recorded before.
func (o Options) recordMoment(ctx context.Context, key, owner, checksum string, signer keys.Private) (moment, error) {
	at := moment{V: 1, ExportID: o.NewID(), ExportDate: pamio.FormatTime(o.Now()), Identity: o.identity(owner)}
	if err := at.sign(owner, checksum, signer); err != nil {
		return at, err
	}
	written, err := objects.PutOnceJSON(ctx, o.Store, key, at)
	if err == nil && !written {
		at = moment{}
		_, err = objects.ReadJSON(ctx, o.Store, key, &at)
	}
	return at, err
}

// ReadMomentExport gives the export of the moment under a key.
func ReadMomentExport(ctx context.Context, s blob.Store, key string) (export string, err error) {
	var at moment
	_, err = objects.ReadJSON(ctx, s, key, &at)
	return at.ExportID, err
}

// putExport publishes a result and gives the head that names it.
func (o Options) putExport(ctx context.Context, r Round, res *assemble.Result) (state.Head, error) {
	next, c := r.Prior, res.Digests()
	signer, err := o.signer(r.Owner)
	if err != nil {
		return r.Prior, err
	}
	next.Signer, next.Identity = fingerprint(signer), o.identity(r.Owner).Digest()
	at, err := o.recordMoment(ctx, momentKey(r.Owner, r.Digest, c, next.Signer+next.Identity), r.Owner, res.Checksum, signer)
	if err != nil {
		return r.Prior, fmt.Errorf("record moment of publishing: %w", err)
	}
	next.V, next.ExportID = 1, at.ExportID
	next.Memories, next.Relations, next.Index, next.Embeddings = c.Memories, c.Relations, c.Index, c.Embeddings
	next.MemoryCount, next.ConversationCount = res.Memories.Count, res.Index.Count
	if next.Store, next.Size, err = o.putStore(ctx, r.Owner, at, res); err != nil {
		return r.Prior, err
	}
	if next.EmbeddingsFile, next.EmbeddingsSize, err = o.putEmbeddings(ctx, r.Owner, at, res); err != nil {
		return r.Prior, err
	}
	if next.Formats, err = formatterOf(o).putFormats(ctx, r, next); err != nil {
		return r.Prior, err
	}
	next.FoldIndex = res.FoldIndex.Digest
	return next, o.putFoldIndex(ctx, state.ExportKey(r.Owner, at.ExportID, ".fold.zst"), blob.PutOptions{IfAbsent: true}, res)
}

// putStore composes the store in a scratch file, validates it, and stores it under its export id.
func (o Options) putStore(ctx context.Context, owner string, at moment, res *assemble.Result) (sum string, size int64, err error) {
	f, err := os.CreateTemp(o.Scratch, "store-*.json")
	if err != nil {
		return "", 0, fmt.Errorf("compose store: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // scratch is emptied at the next start
	defer f.Close()
	if err := composeStore(f, owner, at, res); err != nil {
		return "", 0, err
	}
	if err := o.checkDocument(ctx, f.Name()); err != nil {
		return "", 0, err
	}
	return o.putFile(ctx, state.ExportKey(owner, at.ExportID, ".json"), f)
}

func composeStore(w io.Writer, owner string, at moment, res *assemble.Result) error {
	header := pamio.Header{
		SpecURI: specURI, ExportID: at.ExportID, ExportDate: at.ExportDate, ExportedBy: contractName,
		Owner:      pamio.Owner{ID: owner, DID: at.Identity.DID, CreatedAt: at.Identity.CreatedAt},
		ExportType: "full", TypeRegistry: at.Identity.TypeRegistry,
	}
	integrity := pamio.Integrity{Canonicalization: "RFC8785", Checksum: res.Checksum, TotalMemories: res.Memories.Count}
	buffered := bufio.NewWriterSize(w, 256<<10)
	err := pamio.WriteStore(buffered, header, res.Memories.Reader(), res.Relations.Reader(), res.Index.Reader(), integrity, at.Signature)
	if flushed := buffered.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		return fmt.Errorf("compose store: %w", err)
	}
	return nil
}

// putFile stores a scratch file once and gives the digest and size of what is stored: if there is
// an object already, its bytes count.
func (o Options) putFile(ctx context.Context, key string, f *os.File) (sum string, size int64, err error) {
	h := newSum()
	if _, err = f.Seek(0, io.SeekStart); err == nil {
		if _, err = io.Copy(h, f); err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
	}
	if err != nil {
		return "", 0, fmt.Errorf("read scratch file: %w", err)
	}
	_, err = o.Store.Put(ctx, key, f, blob.PutOptions{IfAbsent: true})
	if errors.Is(err, blob.ErrPrecondition) {
		return o.sumObject(ctx, key)
	}
	return h.hex(), h.size, err
}

func (o Options) sumObject(ctx context.Context, key string) (sum string, size int64, err error) {
	rc, _, err := o.Store.Get(ctx, key, blob.Range{})
	if err != nil {
		return "", 0, err
	}
	defer rc.Close()
	h := newSum()
	if _, err = io.Copy(h, rc); err != nil {
		return "", 0, fmt.Errorf("read %s: %w", key, err)
	}
	return h.hex(), h.size, nil
}

func (o Options) putFoldIndex(ctx context.Context, key string, how blob.PutOptions, res *assemble.Result) error {
	return o.putPiped(ctx, key, how, func(w io.Writer) error {
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err == nil {
			_, err = io.Copy(z, res.FoldIndex.Reader())
			err = errors.Join(err, z.Close())
		}
		return err
	})
}

// putPiped stores what write gives. An object that must be absent and is there counts as stored.
func (o Options) putPiped(ctx context.Context, key string, how blob.PutOptions, write func(io.Writer) error) error {
	r, w := io.Pipe()
	var writing sync.WaitGroup
	writing.Go(func() { w.CloseWithError(write(w)) })
	_, err := o.Store.Put(ctx, key, r, how)
	r.CloseWithError(io.ErrClosedPipe) // ends the writing after a failed Put
	writing.Wait()                     // what write reads is the caller's again
	if errors.Is(err, blob.ErrPrecondition) && how.IfAbsent {
		return nil
	}
	return err
}

// checkDocument validates a store or its embeddings before anybody can see them. Conversation files
// were checked when they were made.
func (o Options) checkDocument(ctx context.Context, file string) error {
	target, closer, err := validate.Open(file)
	if err != nil {
		return fmt.Errorf("validate export: %w", err)
	}
	defer closer.Close()
	var first string
	report, err := validate.Run(ctx, target, validate.Options{
		SkipConversations: true, Scratch: o.Scratch, Budget: o.SortBudget / 4, MaxFindings: 1,
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
