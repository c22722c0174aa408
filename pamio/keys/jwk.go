package keys

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"math/big"

	"github.com/pamline/pamline/pamio/jsonscan"
)

var base64url = base64.RawURLEncoding.Strict()

// curves of JSON Web Keys by name (RFC 7518 §6.2.1.1).
var curves = map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384()}

// jwkAlgorithms are the values of "alg" and what they restrict a key to.
var jwkAlgorithms = map[string]Algorithm{
	"EdDSA": Ed25519, "Ed25519": Ed25519, "ES256": ES256, "ES384": ES384, "RS256": RS256, "RS384": RS384, "RS512": RS512,
}

// jwk reads the members of a JSON Web Key; the first fault stays.
type jwk struct {
	root jsonscan.Node
	err  error
}

func (j *jwk) fail(format string, args ...any) {
	if j.err == nil {
		j.err = fmt.Errorf("%w: JSON Web Key: "+format, append([]any{ErrUndecodable}, args...)...)
	}
}

func (j *jwk) has(name string) bool { return j.root.Get(name).Exists() }

// bytes is a member in base64url, of the length size unless that is 0.
func (j *jwk) bytes(name string, size int) []byte {
	b, err := base64url.DecodeString(j.root.Get(name).Str())
	if j.root.Get(name).Kind() != jsonscan.String || err != nil || len(b) == 0 || size > 0 && len(b) != size {
		j.fail("%s is missing or no base64url text of the right length", name)
		return make([]byte, max(size, 1))
	}
	return b
}

func (j *jwk) number(name string) *big.Int { return new(big.Int).SetBytes(j.bytes(name, 0)) }

// parseJWK reads a key, private if the text has the private member "d".
func parseJWK(text []byte) (key any, only Algorithm, err error) {
	d, err := jsonscan.Parse(text, 16)
	if err != nil || d.Root().Kind() != jsonscan.Object || d.Root().Odd() {
		return nil, "", fmt.Errorf("%w: no JSON object that all readers understand alike", ErrUndecodable)
	}
	j := &jwk{root: d.Root()}
	j.purpose()
	if alg := j.root.Get("alg"); alg.Exists() {
		a, known := jwkAlgorithms[alg.Str()]
		if !known {
			return nil, "", fmt.Errorf("%w: the JSON Web Key is for another algorithm", ErrUnsupported)
		}
		only = a
	}
	switch kty := j.root.Get("kty"); {
	case kty.Is("OKP"):
		key = j.octets()
	case kty.Is("EC"):
		key = j.point()
	case kty.Is("RSA"):
		key = j.modulus()
	default:
		return nil, "", fmt.Errorf("%w: kty of the JSON Web Key is none of OKP, EC and RSA", ErrUnsupported)
	}
	return key, only, j.err
}

// purpose refuses keys that are not for signatures.
func (j *jwk) purpose() {
	if use := j.root.Get("use"); use.Exists() && !use.Is("sig") {
		j.fail("use is not sig")
	}
	if ops := j.root.Get("key_ops"); ops.Exists() {
		found := false
		for op := range ops.Items() {
			found = found || op.Is("sign") || op.Is("verify")
		}
		if !found {
			j.fail("key_ops has neither sign nor verify")
		}
	}
}

func (j *jwk) octets() any {
	if !j.root.Get("crv").Is("Ed25519") {
		j.fail("crv is not Ed25519")
	}
	public := ed25519.PublicKey(j.bytes("x", ed25519.PublicKeySize))
	if !j.has("d") {
		return public
	}
	private := ed25519.NewKeyFromSeed(j.bytes("d", ed25519.SeedSize))
	if !private.Public().(ed25519.PublicKey).Equal(public) { //nolint:errcheck // the type is fixed
		j.fail("x and d are of different keys")
	}
	return private
}

func (j *jwk) point() any {
	curve, known := curves[j.root.Get("crv").Str()]
	if !known {
		j.fail("crv is neither P-256 nor P-384")
		return nil
	}
	n := scalarSize(curve)
	point := append(append([]byte{4}, j.bytes("x", n)...), j.bytes("y", n)...)
	public, err := ecdsa.ParseUncompressedPublicKey(curve, point)
	if err != nil {
		j.fail("x and y are no point of the curve")
		return nil
	}
	if !j.has("d") {
		return public
	}
	private, err := ecdsa.ParseRawPrivateKey(curve, j.bytes("d", n))
	if err != nil || !private.PublicKey.Equal(public) {
		j.fail("x, y and d are of different keys")
		return nil
	}
	return private
}

func (j *jwk) modulus() any {
	e := j.number("e")
	public := rsa.PublicKey{N: j.number("n")}
	if e.BitLen() > 31 {
		j.fail("e is too large")
	} else {
		public.E = int(e.Int64())
	}
	if !j.has("d") {
		return &public
	}
	if j.has("oth") {
		j.fail("more than two primes")
	}
	private := &rsa.PrivateKey{PublicKey: public, D: j.number("d"), Primes: []*big.Int{j.number("p"), j.number("q")}}
	if j.err == nil {
		if err := private.Validate(); err != nil {
			j.fail("n, e, d, p and q are not of one key")
			return nil
		}
		private.Precompute()
	}
	return private
}
