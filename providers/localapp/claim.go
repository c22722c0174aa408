package localapp

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// Look shows the shape of every member to see, with the reason when nothing of it can be read. A
// member that breaks off behind its beginning is recognized by that: Split reports the rest.
func Look(ctx context.Context, members []archive.Member, peek importer.Peeker, see func(m archive.Member, s importer.Shape, err error)) error {
	never := func(importer.Shape) bool { return false }
	return LookInto(ctx, members, peek, never, func(m archive.Member, s importer.Shape, _ []byte, err error) { see(m, s, err) })
}

// LookInto is Look with the first bytes as well, of the members whose shape wants them.
func LookInto(ctx context.Context, members []archive.Member, peek importer.Peeker, wants func(importer.Shape) bool, see func(m archive.Member, s importer.Shape, prefix []byte, err error)) error {
	for _, m := range members {
		s, err := peek.Shape(ctx, m)
		var prefix []byte
		if !s.Empty {
			err = nil
		}
		if err == nil && wants(s) {
			if prefix, err = peek.Prefix(ctx, m); len(prefix) > 0 {
				err = nil
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		see(m, s, prefix, err)
	}
	return nil
}

// First gives the first JSON value of a prefix, if all of it is there: the object of a small file,
// the first line of JSON Lines.
func First(prefix []byte) jsonscan.Node {
	f := jsonscan.NewFramer(importer.UTF8(bytes.NewReader(prefix)), jsonscan.FrameOptions{})
	fr, err := f.Next(nil)
	if err != nil || f.InArray() {
		return jsonscan.Node{}
	}
	d, err := jsonscan.Parse(fr.Raw, 0)
	if err != nil {
		return jsonscan.Node{}
	}
	return d.Root()
}

// Files are claimed assets by the last element of their name, with its ending and without it; of
// several with one name the first in the archive counts.
type Files map[string]archive.Member

// Add remembers an asset.
func (f Files) Add(m archive.Member) {
	name := path.Base(m.Name)
	for _, key := range []string{name, strings.TrimSuffix(name, path.Ext(name))} {
		if _, ok := f[key]; !ok {
			f[key] = m
		}
	}
}

// Ref is the reference of the file that a message calls by a name or path, "" for one that is not
// in the archive, which is counted.
func (f Files) Ref(b *lossless.Builder, name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if m, ok := f[name]; ok && name != "" {
		return importer.MemberRef(m)
	}
	b.Anomalies[importer.AnomalyAssetMissing]++
	return ""
}
