// Package signature signs PAM exports and verifies their signatures (PAM §18).
//
// A signature covers four values: the checksum of the memories, export_id, export_date and
// owner.id. It does not cover relations, the index, conversation files, embeddings, assets, other
// fields of the owner, nor the signature block's own signed_at and key_id ([NotCovered]).
//
// The key that verifies stands in the document, so that a valid signature alone proves only that
// the document was not changed since somebody signed it. Whose key it is must be known from
// elsewhere: [Check] says [Trusted] only if the key is among those that the caller trusts, and
// [SelfAsserted] otherwise. owner.did proves nothing by itself, for whoever forges a document
// writes that, too.
package signature
