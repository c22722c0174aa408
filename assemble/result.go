package assemble

import (
	"errors"

	"github.com/pamline/pamline/pamio"
)

// Integrity is the integrity block of the store (PAM §15.3).
func (r *Result) Integrity() pamio.Integrity {
	return pamio.Integrity{Canonicalization: pamio.RFC8785, Checksum: r.Checksum, TotalMemories: r.Memories.Count}
}

// Digests are the digests of the sections.
func (r *Result) Digests() Digests {
	d := Digests{Memories: r.Memories.Digest, Relations: r.Relations.Digest, Index: r.Index.Digest}
	if r.Embeddings.Count > 0 {
		d.Embeddings = r.Embeddings.Digest
	}
	return d
}

// SameAs tells whether a head with these digests says the same already, so that there is nothing to
// publish. The index names each conversation file by its digest, so equal digests mean equal files,
// too.
func (r *Result) SameAs(head Digests) bool { return r.Digests() == head }

// Close removes the scratch files.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Memories.close(), r.Relations.close(), r.Embeddings.close(), r.Index.close(), r.FoldIndex.close())
}
