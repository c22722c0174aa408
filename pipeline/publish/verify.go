package publish

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// ErrDiffers tells that a published store is not the one of the input set that its head names.
var ErrDiffers = errors.New("the store is another than that of its input set")

// VerifyStore recomputes the store of a head from the input set that the head names, and from
// nothing else: no earlier store, no cache. It compares every byte with what is published: the
// store, its vectors, its conversation files, and its files in those formats that the options have.
// It writes nothing but scratch files. A difference is ErrDiffers.
func VerifyStore(ctx context.Context, o Options, owner string, h state.Head) error {
	if h.ExportID == "" {
		return nil
	}
	set, err := state.ReadInputs(ctx, o.Store, owner, h)
	if err != nil {
		return err
	}
	in, err := openInputs(ctx, o, Round{Owner: owner, Inputs: set, Digest: h.Inputs})
	if err != nil {
		return err
	}
	res, err := in.assemble(ctx, comparison{o.Store, owner}, nil)
	if err != nil {
		return err
	}
	defer closeResult(o, res)
	if !isContentOf(h, res) {
		return fmt.Errorf("verify store of %s: %w: %+v, the head has %+v", owner, ErrDiffers, res.Digests(), contentOf(h))
	}
	at, err := readMoment(ctx, o.Store, owner, h)
	if err != nil {
		return err
	}
	store := newSum()
	if err := composeStore(store, owner, at, res); err != nil {
		return err
	}
	if err := o.compareObject(ctx, state.ExportKey(owner, h.ExportID, ".json"), store); err != nil {
		return err
	}
	if err := o.compareVectors(ctx, owner, h, res); err != nil {
		return err
	}
	return formatterOf(o).compareFormats(ctx, owner, h, set)
}

// compareVectors compares the vectors of an export with computed ones.
func (o Options) compareVectors(ctx context.Context, owner string, h state.Head, res *assemble.Result) error {
	if h.Embeddings == "" {
		return nil
	}
	vectors := newSum()
	w := bufio.NewWriter(vectors)
	if err := pamio.WriteEmbeddings(w, res.Embeddings.Reader()); err != nil {
		return fmt.Errorf("compose embeddings: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("compose embeddings: %w", err)
	}
	return o.compareObject(ctx, state.ExportKey(owner, h.ExportID, embeddingsSuffix), vectors)
}

// readMoment gives the moment of a published store, as the store has it.
func readMoment(ctx context.Context, s blob.Store, owner string, h state.Head) (at moment, err error) {
	return readMomentAt(ctx, s, state.ExportKey(owner, h.ExportID, ".json"))
}

func readMomentAt(ctx context.Context, s blob.Store, key string) (at moment, err error) {
	rc, _, err := s.Get(ctx, key, blob.Range{})
	if err != nil {
		return at, err
	}
	defer rc.Close()
	err = pamio.ReadStore(rc, pamio.Visitor{Scalars: func(s *pamio.Scalars) error {
		at = moment{ExportID: s.ExportID, ExportDate: s.ExportDate, Signature: s.Signature}
		at.Identity = state.Identity{DID: s.Owner.DID, CreatedAt: s.Owner.CreatedAt, TypeRegistry: s.TypeRegistry}
		return nil
	}})
	if err != nil {
		err = fmt.Errorf("read %s: %w", key, err)
	}
	return at, err
}

// sum is the digest and length of what is written.
type sum struct {
	hash.Hash
	size int64
}

func newSum() *sum { return &sum{Hash: sha256.New()} }

func (s *sum) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	return s.Hash.Write(p)
}

func (s *sum) hex() string { return hex.EncodeToString(s.Sum(nil)) }

func (o Options) compareObject(ctx context.Context, key string, want *sum) error {
	got, size, err := o.sumObject(ctx, key)
	if err == nil && (got != want.hex() || size != want.size) {
		err = fmt.Errorf("verify %s: %w", key, ErrDiffers)
	}
	return err
}

// comparison compares conversation files with those that are stored.
type comparison struct {
	store blob.Store
	owner string
}

func (c comparison) Conversations(ctx context.Context, files []assemble.File) error {
	for _, f := range files {
		rc, _, err := c.store.Get(ctx, state.OwnerKey(c.owner, f.Name), blob.Range{})
		if err != nil {
			return err
		}
		body, err := io.ReadAll(rc)
		if err = errors.Join(err, rc.Close()); err != nil {
			return err
		}
		if !bytes.Equal(body, f.Body) {
			return fmt.Errorf("verify %s: %w", f.Name, ErrDiffers)
		}
	}
	return nil
}
