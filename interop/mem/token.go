package mem

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Reasons why a signature does not hold.
var (
	ErrNoSignature = errors.New("it is not signed")
	ErrBadToken    = errors.New("the signature is not of the form ed25519:KEY:SIGNATURE in lower-case hexadecimal")
	ErrUntrusted   = errors.New("the key is not among those trusted")
	ErrForged      = errors.New("the signature does not fit the content")
)

const tokenPrefix = "ed25519:"

// SignBytes gives the signature token of a message.
func SignBytes(key ed25519.PrivateKey, message []byte) string {
	public := key.Public().(ed25519.PublicKey)
	return tokenPrefix + hex.EncodeToString(public) + ":" + hex.EncodeToString(ed25519.Sign(key, message))
}

// VerifyToken verifies a token over a message and gives its key. Trusted lists the keys that may
// have signed; with none of them the signature is only verified by the key it names itself.
func VerifyToken(token string, message []byte, trusted []ed25519.PublicKey) (ed25519.PublicKey, error) {
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	public, sig, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || strings.ToLower(rest) != rest {
		return nil, ErrBadToken
	}
	key, err1 := hex.DecodeString(public)
	value, err2 := hex.DecodeString(sig)
	if err1 != nil || err2 != nil || len(key) != ed25519.PublicKeySize || len(value) != ed25519.SignatureSize {
		return nil, ErrBadToken
	}
	if !ed25519.Verify(key, message, value) {
		return nil, ErrForged
	}
	if len(trusted) > 0 && !slices.ContainsFunc(trusted, func(t ed25519.PublicKey) bool { return t.Equal(ed25519.PublicKey(key)) }) {
		return key, ErrUntrusted
	}
	return key, nil
}

// SignTombstone gives the canonical line of a tombstone with its signature.
func SignTombstone(line []byte, key ed25519.PrivateKey) ([]byte, error) {
	d, err := checkRecord(new(audits[TombstonesFile]), line)
	if err != nil {
		return nil, fmt.Errorf("sign tombstone: %w", err)
	}
	message, err := withoutField(d.Root(), "signature")
	if err != nil {
		return nil, fmt.Errorf("sign tombstone: %w", err)
	}
	signed := append(message[:len(message)-1:len(message)-1], `,"signature":`...)
	signed = append(AppendString(signed, SignBytes(key, message)), '}')
	return Canonicalize(signed)
}

// verifyTombstone verifies the signature of a tombstone over its canonical form without it.
func verifyTombstone(n jsonscan.Node, trusted []ed25519.PublicKey) error {
	token := n.Get("signature").Str()
	if token == "" {
		return ErrNoSignature
	}
	message, err := withoutField(n, "signature")
	if err != nil {
		return err
	}
	_, err = VerifyToken(token, message, trusted)
	return err
}

// withoutField is the canonical form of an object without one member.
func withoutField(n jsonscan.Node, name string) ([]byte, error) {
	out := []byte{'{'}
	for k, v := range n.Fields() {
		if k.Is(name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, k.Raw()...), ':'), v.Raw()...)
	}
	return Canonicalize(append(out, '}'))
}
