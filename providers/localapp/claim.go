package localapp

import (
	"bytes"
	"context"
	"iter"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// Look shows the first bytes of every member to see, which gets the reason instead when they cannot be read.
func Look(ctx context.Context, members []archive.Member, peek importer.Peeker, see func(m archive.Member, prefix []byte, err error)) error {
	for _, m := range members {
		prefix, err := peek(ctx, m)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		see(m, prefix, err)
	}
	return nil
}

// Split gives the units of all claimed members but assets, as cut makes them of a unit with the member, its role, the
// claim's context and the limits in it. cut tells whether to go on.
func Split(ctx context.Context, c importer.Claim, limits importer.Limits, cut func(u importer.Unit, yield func(importer.Unit, error) bool) bool) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		for _, m := range c.Members {
			if m.Role == importer.RoleAsset {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(importer.Unit{}, err)
				return
			}
			u := importer.Unit{Member: m.Member, Role: m.Role, Context: c.Context, Limits: limits.WithDefaults()}
			if !cut(u, yield) {
				return
			}
		}
	}
}

// First gives the first JSON value of a prefix, if all of it is there: the object of a small file, the first line of JSON
// Lines.
func First(prefix []byte) jsonscan.Node {
	f := jsonscan.NewFramer(bytes.NewReader(prefix), jsonscan.FrameOptions{})
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

// Files are claimed assets by the last element of their name, with its ending and without it; of several with one name the
// first in the archive counts.
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

// Ref is the reference of the file that a message calls by a name or path, "" for one that is not in the archive, which is
// counted.
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
