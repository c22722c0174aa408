package keys

import (
	"crypto"
	"crypto/elliptic"
	_ "crypto/sha256" // the hashes of the table
	_ "crypto/sha512"
)

// Algorithm is a signature algorithm by its name in a signature block (PAM §18.2).
type Algorithm string

// The algorithms of PAM 1.0.
const (
	Ed25519 Algorithm = "Ed25519"
	ES256   Algorithm = "ES256"
	ES384   Algorithm = "ES384"
	RS256   Algorithm = "RS256"
	RS384   Algorithm = "RS384"
	RS512   Algorithm = "RS512"
)

// Algorithms lists all algorithms, the recommended ones first.
func Algorithms() []Algorithm { return []Algorithm{Ed25519, ES256, ES384, RS256, RS384, RS512} }

// scheme is what an algorithm demands of a key: a curve, or a least number of bits of an RSA
// modulus, which is also the size of a new key, so that a new key says by its size what it is for.
// Neither of the two is Ed25519.
type scheme struct {
	hash  crypto.Hash
	curve elliptic.Curve
	bits  int
}

var schemes = map[Algorithm]scheme{
	Ed25519: {},
	ES256:   {hash: crypto.SHA256, curve: elliptic.P256()},
	ES384:   {hash: crypto.SHA384, curve: elliptic.P384()},
	RS256:   {hash: crypto.SHA256, bits: 2048},
	RS384:   {hash: crypto.SHA384, bits: 3072},
	RS512:   {hash: crypto.SHA512, bits: 4096},
}

// Known tells whether PAM 1.0 has the algorithm. Names are case-sensitive.
func (a Algorithm) Known() bool {
	_, ok := schemes[a]
	return ok
}

// digest is what the algorithm signs of a message.
func (s scheme) digest(message []byte) []byte {
	h := s.hash.New()
	h.Write(message)
	return h.Sum(nil)
}
