// Package pamio reads and writes Portable AI Memory (PAM) 1.0 documents: the memory store,
// conversations and embeddings.
//
// A conversation is a [Conversation]: [Conversation.AppendJSON] writes it, [ParseConversation]
// reads it back and [Conversation.Check] says whether it may be stored. [SpliceImportMetadata] adds
// the import block to a document that has been written already.
//
// A store is never held as one value. Its three collections are written element by element through
// a [Section] and put together by [WriteStore]; [ReadStore] hands the elements of a store out one
// at a time. [Memory], [Relation] and [IndexEntry] have AppendCanonical, which writes RFC 8785
// canonical JSON, so that the integrity checksum of PAM §15.2 is the SHA-256 of the text of the
// memories section. [Canonicalize] gives the canonical form of anybody's JSON and [ContentHash] the
// hash of PAM §6. A [Bundle] is a folder or zip with a store and the files it refers to.
//
// [LoadStore] reads a small store whole. [ReadIntegrity] computes the checksum of a store of any
// size. [Merge] applies incremental exports to a base (PAM §16.3), and [Delta] makes one of two
// full exports; both stream. Package signature signs and verifies, with the keys of package keys,
// and package validate checks documents and bundles. testdata/vectors has test vectors for other
// implementations.
//
// What is written keeps the output profile: no nulls and no members with a default value, except
// that a memory's status and tags are always there and access is whole or absent; times are UTC
// with "Z" and no fraction or six digits ([FormatTime]). Reading is wider: nulls, absent members,
// time offsets and white space are accepted.
//
// But for LoadStore the package holds few elements in memory, keeps no state between calls and
// never asks for the time.
package pamio
