package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
)

const (
	// maxUnsplit is the number of drops up to which an input set is one object (about 1 MB).
	maxUnsplit = 5000
	// bucketDigits is how many leading digits of a drop's digest name its bucket: 256 buckets.
	bucketDigits = 2
	// bucketReads is how many buckets are read or written at a time.
	bucketReads = 16
)

// inputsObject is an input set as it is stored: whole, or split into buckets by the first digits
// of the drops.
type inputsObject struct {
	Inputs
	Buckets map[string]string `json:"buckets,omitempty"` // first digits → digest of the bucket
}

// ReadInputs gives the input set that a head names. A set that a head names and storage lacks is a
// fault of class Permanent.
func ReadInputs(ctx context.Context, s blob.Store, owner string, h Head) (Inputs, error) {
	in := NewInputs()
	if h.Inputs == "" {
		return in, nil
	}
	o := inputsObject{Inputs: in}
	if err := readInputsObject(ctx, s, owner, h.Inputs, &o); err != nil || len(o.Buckets) == 0 {
		return o.Inputs, err
	}
	names := slices.Sorted(maps.Keys(o.Buckets))
	parts := make([]Inputs, len(names))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(bucketReads)
	for i, name := range names {
		g.Go(func() error { return readInputsObject(gctx, s, owner, o.Buckets[name], &parts[i]) })
	}
	if err := g.Wait(); err != nil {
		return in, err
	}
	in.V, in.Edits, in.stored = o.V, o.Edits, map[string]bool{}
	for i, p := range parts {
		maps.Copy(in.Drops, p.Drops)
		maps.Copy(in.Short, p.Short)
		maps.Copy(in.Past, p.Past)
		maps.Copy(in.Contents, p.Contents)
		in.stored[o.Buckets[names[i]]] = true
	}
	return in, nil
}

func readInputsObject(ctx context.Context, s blob.Store, owner, digest string, into any) error {
	key := InputsKey(owner, digest)
	body, _, err := objects.ReadVerified(ctx, s, key, digest)
	if err != nil {
		return objects.Lost(key, err)
	}
	return objects.DecodeJSON(key, body, into)
}

// Buckets are the digests of the objects that a set, which was read from storage, is split into.
func (in Inputs) Buckets() []string { return slices.Sorted(maps.Keys(in.stored)) }

// PackedInputs is an input set in the form in which it is stored.
type PackedInputs struct {
	Digest  string // SHA-256 of the set, by which a head names it
	objects []packed
}

type packed struct {
	digest string
	body   []byte
}

// Pack encodes an input set. Equal sets have equal digests. Beyond 5,000 drops the set is split
// into 256 buckets, so a change writes only the buckets that it touches.
func (in Inputs) Pack() (PackedInputs, error) {
	o := inputsObject{Inputs: in}
	var p PackedInputs
	if len(in.Drops) > maxUnsplit {
		o.Inputs = Inputs{V: in.V, Edits: in.Edits}
		o.Buckets = map[string]string{}
		parts := splitInputs(in)
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			digest, err := p.add(parts[name])
			if err != nil {
				return p, err
			}
			o.Buckets[name] = digest
		}
		p.objects = slices.DeleteFunc(p.objects, func(b packed) bool { return in.stored[b.digest] })
	}
	var err error
	p.Digest, err = p.add(o)
	return p, err
}

func (p *PackedInputs) add(v any) (string, error) {
	body, err := objects.EncodeJSON(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	p.objects = append(p.objects, packed{digest, body})
	return digest, nil
}

// splitInputs gives the buckets of a set: each has the drops of some leading digits, and the past
// imports and short shards of these drops.
func splitInputs(in Inputs) map[string]*Inputs {
	parts := map[string]*Inputs{}
	for drop, e := range in.Drops {
		name := drop[:bucketDigits]
		b := parts[name]
		if b == nil {
			n := NewInputs()
			b, parts[name] = &n, &n
		}
		b.Drops[drop] = e
		past := in.Past[drop]
		if len(past) > 0 {
			b.Past[drop] = past
		}
		ids := append(slices.Clone(past), e.Import)
		if drop == OwnerJob {
			ids = append(ids, OwnerJob)
		}
		for _, id := range ids {
			if short, ok := in.Short[id]; ok {
				b.Short[id] = short
			}
			if c, ok := in.Contents[id]; ok {
				b.Contents[id] = c
			}
		}
	}
	return parts
}

// Store puts the set, its buckets first, once.
func (p PackedInputs) Store(ctx context.Context, s blob.Store, owner string) error {
	last := len(p.objects) - 1
	if last > 0 {
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(bucketReads)
		for _, o := range p.objects[:last] {
			g.Go(func() error {
				_, err := objects.PutOnce(gctx, s, InputsKey(owner, o.digest), o.body)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	_, err := objects.PutOnce(ctx, s, InputsKey(owner, p.objects[last].digest), p.objects[last].body)
	return err
}

// Repair writes those objects of the set that are missing or damaged.
func (p PackedInputs) Repair(ctx context.Context, s blob.Store, owner string) error {
	items := make([]blob.Item, len(p.objects))
	for i, o := range p.objects {
		items[i] = blob.Item{Key: InputsKey(owner, o.digest), Body: o.body}
	}
	return objects.PutNamed(ctx, s, items)
}
