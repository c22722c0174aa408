package signature

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
)

// ErrIncomplete is wrapped when a store lacks a value that a signature covers.
var ErrIncomplete = errors.New("the store lacks a field that a signature covers")

// Sign makes the signature block for the claims. Checksum is the one computed over the memories,
// not one that was only read. signedAt must not lie before the export date (PAM §18.5.3). keyID may
// be empty.
func Sign(c Claims, key keys.Private, a keys.Algorithm, signedAt, keyID string) (*pamio.Signature, error) {
	for _, f := range c.fields() {
		if f.value == "" {
			return nil, fmt.Errorf("sign export: %w: %s", ErrIncomplete, f.name)
		}
	}
	exported, err := pamio.ParseTime(c.ExportDate)
	if err != nil {
		return nil, fmt.Errorf("sign export: export_date: %w", err)
	}
	signed, err := pamio.ParseTime(signedAt)
	if err != nil {
		return nil, fmt.Errorf("sign export: signed_at: %w", err)
	}
	if signed.Before(exported) {
		return nil, fmt.Errorf("sign export: the time of signing, %s, lies before export_date, %s; check the clock", signedAt, c.ExportDate)
	}
	value, err := key.Sign(a, c.Payload())
	if err != nil {
		return nil, fmt.Errorf("sign export: %w", err)
	}
	return &pamio.Signature{
		Algorithm: string(a), PublicKey: key.Public().String(), Value: base64.RawURLEncoding.EncodeToString(value),
		SignedAt: signedAt, KeyID: keyID,
	}, nil
}

type field struct{ name, value string }

func (c Claims) fields() []field {
	return []field{
		{"export_id", c.ExportID}, {"export_date", c.ExportDate}, {"integrity.checksum", c.Checksum}, {"owner.id", c.OwnerID},
	}
}
