package erase

import (
	"fmt"

	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/signature"
	"github.com/pamline/pamline/pipeline/objects"
)

// Claims are what the signature of a receipt covers: the digest of the receipt without its
// signature, as indented JSON, in the place of the checksum of a store.
func (r Receipt) Claims() (signature.Claims, error) {
	r.Signature = nil
	body, err := objects.EncodeJSON(r)
	return signature.Claims{Checksum: "sha256:" + objects.Digest(string(body)), ExportID: "erasure of " + r.Level, ExportDate: r.At, OwnerID: r.Owner}, err
}

// signReceipt signs the receipt if there is a key.
func (e *eraser) signReceipt() error {
	if e.KeyOf == nil {
		return nil
	}
	key, err := e.KeyOf(e.owner)
	if err != nil {
		return fmt.Errorf("read signing key of %s: %w", e.owner, err)
	}
	if key.IsZero() {
		return nil
	}
	claims, err := e.receipt.Claims()
	if err != nil {
		return err
	}
	e.receipt.Signature, err = signature.Sign(claims, key, key.Algorithm(), e.receipt.At, did.KeyID(key.Public()))
	return err
}
