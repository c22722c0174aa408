// Package objects reads and writes the objects of a store so that damage is noticed: small ones are
// JSON with a seal, and all others are verified by a digest, in their name or elsewhere. It knows
// nothing of what they hold.
package objects

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/pamline/pamline/blob"
)

// A small JSON object ends with a member "seal": the SHA-256 of its key and of all that stands
// before. The seal reveals a changed, shortened or emptied object, and one that belongs under
// another key, even if no other object names this one by its digest.

const (
	sealBefore = "\n \"seal\": \""
	sealAfter  = "\"\n}\n"
	sealLength = len(sealBefore) + 2*sha256.Size + len(sealAfter)
)

// ErrDamaged is in the error of each object whose content is not the one that was written.
var ErrDamaged = blob.ErrDamaged

// EncodeSealed is EncodeJSON of an object to be stored under a key, with its seal.
func EncodeSealed(key string, v any) ([]byte, error) {
	body, err := EncodeJSON(v)
	if err != nil {
		return nil, err
	}
	start, ok := bytes.CutSuffix(body, []byte("}\n"))
	if !ok || start[0] != '{' {
		return nil, fmt.Errorf("encode %s: %T is no JSON object", key, v)
	}
	start = bytes.TrimSuffix(start, []byte("\n"))
	if len(start) > 1 {
		start = append(start, ',')
	}
	return fmt.Appendf(start, "%s%s%s", sealBefore, SealOf(key, start), sealAfter), nil
}

// removeSeal checks the seal of an object and gives the object without it.
func removeSeal(key string, body []byte) ([]byte, error) {
	at := len(body) - sealLength
	if at < 1 {
		return nil, ErrDamaged
	}
	start, end := body[:at], string(body[at:])
	seal, ok := strings.CutPrefix(end, sealBefore)
	seal, found := strings.CutSuffix(seal, sealAfter)
	if !ok || !found || seal != SealOf(key, start) {
		return nil, ErrDamaged
	}
	return append(bytes.TrimSuffix(start, []byte(",")), '}'), nil
}

// SealOf is the seal of an object: the SHA-256 of its key and of what stands before the seal.
func SealOf(key string, start []byte) string {
	h := sha256.New()
	h.Write([]byte(key + "\n"))
	h.Write(start)
	return hex.EncodeToString(h.Sum(nil))
}
