package signature

import (
	"github.com/pamline/pamline/pamio"
)

// Claims are the values that a signature covers, exactly as the document writes them.
type Claims struct {
	Checksum   string
	ExportID   string
	ExportDate string
	OwnerID    string
}

// Payload is the text that is signed: the canonical form of the claims (PAM §18.3).
func (c Claims) Payload() []byte {
	b := append([]byte(nil), `{"checksum":`...)
	b = pamio.AppendString(b, c.Checksum)
	b = pamio.AppendString(append(b, `,"export_date":`...), c.ExportDate)
	b = pamio.AppendString(append(b, `,"export_id":`...), c.ExportID)
	b = pamio.AppendString(append(b, `,"owner_id":`...), c.OwnerID)
	return append(b, '}')
}

// Document is what verifying needs of a store.
type Document struct {
	Claims
	OwnerDID string
	// Signature is nil in a store that is not signed.
	Signature *pamio.Signature
}

// Of takes the document from the scalar fields of a store.
func Of(s *pamio.Scalars) Document {
	d := Document{
		Claims:   Claims{ExportID: s.ExportID, ExportDate: s.ExportDate, OwnerID: s.Owner.ID},
		OwnerDID: s.Owner.DID, Signature: s.Signature,
	}
	if s.Integrity != nil {
		d.Checksum = s.Integrity.Checksum
	}
	return d
}

// Covered and NotCovered name the parts of a bundle that a signature protects, and those that it
// does not.
var (
	Covered    = []string{"memories", "export_id", "export_date", "owner.id"}
	NotCovered = []string{
		"relations", "conversations_index", "conversation files", "embeddings", "assets", "owner.did", "owner.created_at",
		"signature.signed_at", "signature.key_id", "all other fields of the store",
	}
)
