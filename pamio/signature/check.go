package signature

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/did"
	"github.com/pamline/pamline/pamio/keys"
)

// Result is the outcome of [Check].
type Result struct {
	Verdict  Verdict
	Problems []Problem
	// Key is the key of the document; the zero key if it could not be read.
	Key keys.Public
}

// Check verifies the signature of a document (PAM §18.4). computed is the checksum of the memories
// as they were read, "" if they have none. trusted are the keys that the caller knows to be the
// owner's.
func Check(d Document, computed string, trusted ...keys.Public) Result {
	if d.Signature == nil {
		return Result{Verdict: Absent}
	}
	c := &checker{d: d, s: d.Signature}
	c.fields()
	c.times()
	value := c.value()
	candidates := c.candidates()
	c.checksum(computed)
	if len(c.out.Problems) == 0 || !c.isMalformed() {
		c.verify(value, candidates)
	}
	c.names()
	for _, p := range c.out.Problems {
		c.out.Verdict = max(c.out.Verdict, verdicts[p.Code])
	}
	if c.out.Verdict == Trusted && !slices.ContainsFunc(trusted, c.out.Key.Equal) {
		c.out.Verdict = SelfAsserted
	}
	return c.out
}

type checker struct {
	d   Document
	s   *pamio.Signature
	out Result
}

func (c *checker) problem(code Code, field, format string, args ...any) {
	c.out.Problems = append(c.out.Problems, Problem{code, field, fmt.Sprintf(format, args...)})
}

func (c *checker) isMalformed() bool {
	return slices.ContainsFunc(c.out.Problems, func(p Problem) bool { return verdicts[p.Code] == Malformed })
}

// fields checks that everything is there.
func (c *checker) fields() {
	for _, f := range c.d.Claims.fields() {
		if f.value == "" {
			c.problem(NoField, "/"+strings.ReplaceAll(f.name, ".", "/"), "a signed export must have %s, which the signature covers", f.name)
		}
	}
	for _, f := range []field{{"value", c.s.Value}, {"public_key", c.s.PublicKey}, {"signed_at", c.s.SignedAt}} {
		if f.value == "" {
			c.problem(NoField, "/signature/"+f.name, "the signature has no %s", f.name)
		}
	}
	if !keys.Algorithm(c.s.Algorithm).Known() {
		c.problem(NoAlgorithm, "/signature/algorithm", "the algorithm is none of %v", keys.Algorithms())
	}
}

func (c *checker) times() {
	exported, err := pamio.ParseTime(c.d.ExportDate)
	if err != nil && c.d.ExportDate != "" {
		c.problem(BadTime, "/export_date", "export_date is not an RFC 3339 time")
	}
	signed, err2 := pamio.ParseTime(c.s.SignedAt)
	if err2 != nil && c.s.SignedAt != "" {
		c.problem(BadTime, "/signature/signed_at", "signed_at is not an RFC 3339 time")
	}
	if err == nil && err2 == nil && signed.Before(exported) {
		c.problem(SignedEarly, "/signature/signed_at", "signed_at lies before export_date")
	}
}

// value decodes the signature.
func (c *checker) value() []byte {
	const at = "/signature/value"
	value := c.s.Value
	if value == "" {
		return nil
	}
	if strings.Contains(value, ".") {
		c.problem(IsJWS, at, "the value has dots like a JWS, which version 1.0 does not define; give the base64url of the bare signature")
		return nil
	}
	bare := strings.TrimRight(value, "=")
	if bare != value {
		c.problem(Padded, at, "the value ends with padding; write base64url without it, which all readers take")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(bare)
	if err != nil || strings.ContainsAny(bare, "\r\n") {
		c.problem(BadEncoding, at, "the value is malformed: its %d characters are no base64url text", len(value))
		return nil
	}
	if fits, known := lengths[keys.Algorithm(c.s.Algorithm)]; known && !fits(raw) {
		c.problem(BadEncoding, at, "the value is malformed: its %d bytes are no %s signature", len(raw), c.s.Algorithm)
	}
	return raw
}

// lengths tells by algorithm whether bytes can be its signature.
var lengths = map[keys.Algorithm]func([]byte) bool{
	keys.Ed25519: func(b []byte) bool { return len(b) == 64 },
	keys.ES256:   func(b []byte) bool { return len(b) == 64 || isDER(b, 72) },
	keys.ES384:   func(b []byte) bool { return len(b) == 96 || isDER(b, 104) },
	keys.RS256:   func(b []byte) bool { return len(b) >= 2048/8 },
	keys.RS384:   func(b []byte) bool { return len(b) >= 3072/8 },
	keys.RS512:   func(b []byte) bool { return len(b) >= 4096/8 },
}

func isDER(b []byte, most int) bool { return len(b) >= 8 && len(b) <= most && b[0] == 0x30 }

// candidates are the readings of public_key that fit the algorithm.
func (c *checker) candidates() []keys.Public {
	const at = "/signature/public_key"
	if c.s.PublicKey == "" {
		return nil
	}
	all, err := keys.ParseEmbedded(c.s.PublicKey)
	switch {
	case errors.Is(err, keys.ErrWeak):
		c.problem(KeyWeak, at, "public_key must not be used: %v", err)
		return nil
	case err != nil:
		c.problem(BadKey, at, "public_key cannot be read: %v", err)
		return nil
	}
	c.out.Key = all[0]
	a := keys.Algorithm(c.s.Algorithm)
	if !a.Known() {
		return nil
	}
	if err := all[0].Check(a); err != nil {
		code := KeyMismatch
		if errors.Is(err, keys.ErrWeak) {
			code = KeyWeak
		}
		c.problem(code, at, "public_key must not be used: %v", err)
		return nil
	}
	return all
}

// checksum holds the checksum of the memories against the one that is signed.
func (c *checker) checksum(computed string) {
	switch {
	case c.d.Checksum == "":
	case computed == "":
		c.problem(NotComputed, "/integrity/checksum", "the memories have no checksum that the signature could be held against")
	case computed != c.d.Checksum:
		c.problem(BadChecksum, "/integrity/checksum", "the memories were changed: their checksum is %s", computed)
	}
}

// verify tries the readings of the key; the one that verifies is the key of the document.
func (c *checker) verify(value []byte, candidates []keys.Public) {
	for _, p := range candidates {
		if p.Verify(keys.Algorithm(c.s.Algorithm), c.d.Payload(), value) == nil {
			c.out.Key = p
			return
		}
	}
	if len(candidates) > 0 {
		c.problem(BadValue, "/signature/value", "the signature does not match: a covered field was changed, or another key signed it")
	}
}

// names holds the DIDs of the document against the key (PAM §17.2.3, §18.5.4). They are not covered
// by the signature.
func (c *checker) names() {
	owner, ownerErr := did.Parse(c.d.OwnerDID)
	if k, err := owner.Key(); ownerErr == nil && err == nil && !c.out.Key.IsZero() && !k.Equal(c.out.Key) {
		c.problem(OwnerKey, "/owner/did", "owner.did is the did:key of another key than public_key")
	}
	if c.s.KeyID == "" {
		return
	}
	const at = "/signature/key_id"
	id, err := did.Parse(c.s.KeyID)
	if ownerErr == nil && c.d.OwnerDID != "" && (err != nil || id.DID() != owner.DID()) {
		c.problem(KeyIDForeign, at, "key_id is not a DID URL of owner.did, so the key is not tied to the owner")
		return
	}
	if err != nil || id.Method != did.KeyMethod {
		return
	}
	k, err := id.Key()
	switch {
	case err != nil:
		c.problem(KeyIDForeign, at, "key_id is a did:key that cannot be read: %v", err)
	case !c.out.Key.IsZero() && !k.Equal(c.out.Key):
		c.problem(KeyIDForeign, at, "key_id is the did:key of another key than public_key")
	}
}
