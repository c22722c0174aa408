package validate

import (
	"encoding/base64"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// signature checks the form of a signature and that what it covers is there (PAM §18). It does not verify it, and says so.
func (e *element) signature(exported instant) {
	r := e.root
	s := r.Get("signature")
	if s.Kind() != jsonscan.Object {
		return
	}
	e.wrong(signatureNotVerified, true)
	e.find(signatureNotVerified, e.at("/signature", s), "the store is signed, and the signature was not verified here; use the verify command")
	for _, f := range []struct {
		pointer string
		node    jsonscan.Node
	}{
		{"/export_id", r.Get("export_id")},
		{"/export_date", r.Get("export_date")},
		{"/integrity/checksum", r.Get("integrity").Get("checksum")},
	} {
		value, _ := text(f.node)
		if e.wrong(signatureRequires, value == "") {
			e.find(signatureRequires, e.at(f.pointer, f.node), "a signed export must have %s, which the signature covers", strings.ReplaceAll(f.pointer[1:], "/", "."))
		}
	}
	e.signatureValue(s)
	e.ordered(signatureTime, exported, e.time(s, "/signature", "signed_at"))
	did, ok := text(r.Get("owner").Get("did"))
	if key, given := text(s.Get("key_id")); ok && given && e.wrong(signatureKeyID, key != did && !strings.HasPrefix(key, did+"#")) {
		e.find(signatureKeyID, e.at("/signature/key_id", s.Get("key_id")), "key_id is not a DID URL of owner.did, so the key is not tied to the owner")
	}
}

// signatureValue checks that the value can be a signature of its algorithm.
func (e *element) signatureValue(s jsonscan.Node) {
	value, ok := text(s.Get("value"))
	if !ok || value == "" {
		return
	}
	at := e.at("/signature/value", s.Get("value"))
	if e.wrong(signatureJWS, strings.Contains(value, ".")) {
		e.find(signatureJWS, at, "the value has dots like a JWS, which version 1.0 does not define; give the base64url of the bare signature")
		return
	}
	bare := strings.TrimRight(value, "=")
	if e.wrong(signaturePadded, bare != value) {
		e.find(signaturePadded, at, "the value ends with padding; write base64url without it, which all readers take")
	}
	raw, err := base64.RawURLEncoding.DecodeString(bare)
	if e.wrong(signatureEncoding, err != nil) {
		e.find(signatureEncoding, at, "the value is malformed: its %d characters are no base64url text", len(value))
		return
	}
	algorithm, _ := text(s.Get("algorithm"))
	if fits, known := signatureLengths[algorithm]; known && e.wrong(signatureEncoding, !fits(raw)) {
		e.find(signatureEncoding, at, "the value is malformed: its %d bytes are no %s signature", len(raw), algorithm)
	}
}

// signatureLengths tells by algorithm whether bytes can be its signature. ECDSA comes as r‖s or as DER, §18 does not say which.
var signatureLengths = map[string]func([]byte) bool{
	"Ed25519": func(b []byte) bool { return len(b) == 64 },
	"ES256":   func(b []byte) bool { return len(b) == 64 || der(b, 72) },
	"ES384":   func(b []byte) bool { return len(b) == 96 || der(b, 104) },
	"RS256":   func(b []byte) bool { return len(b) >= 2048/8 },
	"RS384":   func(b []byte) bool { return len(b) >= 3072/8 },
	"RS512":   func(b []byte) bool { return len(b) >= 4096/8 },
}

func der(b []byte, most int) bool { return len(b) >= 8 && len(b) <= most && b[0] == 0x30 }
