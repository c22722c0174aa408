package mif

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"

	"golang.org/x/crypto/argon2"
)

// Argon2 are the parameters that a MIF document does not name and its author has to tell.
type Argon2 struct {
	Password []byte
	Salt     []byte
	Time     uint32
	// Memory is in KiB.
	Memory  uint32
	Threads uint8
	// Data is the additional authenticated data, usually none.
	Data []byte
}

// ErrDecrypt is returned when a payload does not open with the parameters.
var ErrDecrypt = errors.New("the payload does not open: the password or a parameter is another, or it was changed")

// IsEncrypted tells whether a document has an encrypted payload.
func (d *Document) IsEncrypted() bool {
	return d.Root.Get("encryption").Get("encrypted_payload").Exists()
}

// Decrypt opens the payload of a document with explicit parameters and reads the document in it.
func (d *Document) Decrypt(p Argon2) (*Document, error) {
	n := d.Root.Get("encryption")
	if !n.Get("algorithm").Is("aes-256-gcm") || !n.Get("key_derivation").Is("argon2id") {
		return nil, fmt.Errorf("decrypt MIF: %w: it is neither aes-256-gcm nor argon2id", ErrEncrypted)
	}
	if p.Time == 0 || p.Memory == 0 || p.Threads == 0 || len(p.Salt) < 8 || p.Memory > 4<<20 || p.Time > 1000 {
		return nil, fmt.Errorf("decrypt MIF: %w: salt, time, memory and threads must be told", ErrEncrypted)
	}
	var parts [3][]byte
	for i, name := range []string{"iv", "encrypted_payload", "auth_tag"} {
		var err error
		if parts[i], err = base64.StdEncoding.DecodeString(n.Get(name).Str()); err != nil {
			return nil, fmt.Errorf("decrypt MIF: %w: %s is not base64", ErrNotMIF, name)
		}
	}
	block, err := aes.NewCipher(argon2.IDKey(p.Password, p.Salt, p.Time, p.Memory, p.Threads, 32))
	if err != nil {
		return nil, fmt.Errorf("decrypt MIF: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil || len(parts[0]) != gcm.NonceSize() {
		return nil, fmt.Errorf("decrypt MIF: %w: iv must have %d bytes", ErrNotMIF, 12)
	}
	text, err := gcm.Open(nil, parts[0], append(parts[1], parts[2]...), p.Data)
	if err != nil {
		return nil, fmt.Errorf("decrypt MIF: %w", ErrDecrypt)
	}
	return Parse(text)
}
