package ingest

import (
	"crypto/sha256"
	"hash"
	"io"
	"sync/atomic"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// listSources lists the claimed members as sources. Their readers compute a digest and count bytes.
func (in *archiveRun) listSources(a *archive.Archive) {
	for _, f := range in.found.Claims {
		c := f.Claim
		c.Members = append([]providers.ClaimedMember(nil), c.Members...)
		for i, cm := range c.Members {
			in.m.Parts[cm.Member.Part].Claimed++
			if cm.Role == importer.RoleAsset { // copied, not read: its name says its digest
				in.total += max(cm.Member.Size, 0)
				c.Members[i].Member = cm.Member.Through(func(r io.ReadCloser) io.ReadCloser { return &counted{r, &in.read} })
				continue
			}
			in.source[cm.Member.Index] = len(in.sums)
			in.m.Sources = append(in.m.Sources, state.Source{
				Importer: f.Importer.Version(), Part: cm.Member.Part,
				File: sourceFile(a, in.rec, cm.Member, f.Importer),
			})
			src := &digesting{sum: sha256.New(), all: &in.read}
			in.sums = append(in.sums, src)
			in.total += max(cm.Member.Size, 0)
			c.Members[i].Member = cm.Member.Through(func(r io.ReadCloser) io.ReadCloser {
				src.sum.Reset()
				src.read = true
				return &tapped{r, src}
			})
		}
		in.claims = append(in.claims, providers.Detected{Importer: f.Importer, Claim: c})
	}
}

// counted is a reader that adds its bytes to the progress.
type counted struct {
	io.ReadCloser
	all *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.all.Add(int64(n))
	return n, err
}

// digesting is the digest of a source. read tells whether the source was opened; all counts the
// bytes of all sources.
type digesting struct {
	sum  hash.Hash
	read bool
	all  *atomic.Int64
}

type tapped struct {
	io.ReadCloser
	src *digesting
}

func (t *tapped) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.src.sum.Write(p[:n])
	t.src.all.Add(int64(n))
	return n, err
}
