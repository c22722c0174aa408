package known

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// pack is a pack of an earlier import. Only a loaded one has content.
type pack struct {
	manifest *state.Manifest
	shard    state.Shard
	unusable bool

	elements []Element
	lines    []state.SnapshotLine
	frames   []byte
}

// load reads the pack whole, and verifies it: the manifest names the list by its digest, and the
// list the documents.
func (p *pack) load(ctx context.Context, s blob.Store) error {
	m := p.manifest
	_, elements, err := Read(ctx, s, Key(m.Owner, m.Import, p.shard.Pack))
	if err != nil {
		return err
	}
	list, err := state.OpenShardList(ctx, s, *m, p.shard)
	if err != nil {
		return err
	}
	var lines []state.SnapshotLine
	for line, err := range list.Lines {
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	frames, _, err := objects.ReadVerified(ctx, s, state.PackKey(m.Owner, m.Import, list.Pack), list.Pack)
	if err != nil {
		return err
	}
	p.elements, p.lines, p.frames = elements, lines, frames
	return nil
}

func (p *pack) unload() { p.elements, p.lines, p.frames = nil, nil, nil }

// document gives the n-th known element of a loaded pack, if an importer of this version has read
// it.
func (p *pack) document(n int, importer string) (d Document, ok bool) {
	if n >= len(p.elements) || p.elements[n].Number < 0 || p.elements[n].Number >= len(p.lines) {
		return d, false
	}
	d.Element = p.elements[n]
	d.Line = p.lines[d.Number]
	at, length := d.Line.Offset, d.Line.Length
	if d.Line.Record != "" || p.manifest.ImporterOf(d.Line.Source) != importer || at < 0 || length < 0 || at > int64(len(p.frames))-length {
		return d, false
	}
	d.Frame = p.frames[at : at+length]
	return d, true
}
