package keys

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
)

// Reasons to refuse a key or a signature.
var (
	// ErrUndecodable is wrapped when a text is not a key in any known form.
	ErrUndecodable = errors.New("not a key in a known form")
	// ErrUnsupported is wrapped for a key of a type that PAM 1.0 has no algorithm for.
	ErrUnsupported = errors.New("no algorithm of PAM 1.0 uses this type of key")
	// ErrPrivate is wrapped when a private key stands where a public key belongs.
	ErrPrivate = errors.New("this is a private key; a public key belongs here")
	// ErrWeak is wrapped for an RSA key that is too small, or has an exponent that is not safe.
	ErrWeak = errors.New("the RSA key is too weak")
	// ErrMismatch is wrapped when a key is used with an algorithm that is not its own.
	ErrMismatch = errors.New("the key does not fit the algorithm")
	// ErrSignature is wrapped when a signature does not verify.
	ErrSignature = errors.New("the signature is not that of the message under this key")
)

// Limits of RSA keys. The upper ones bound what verifying a stranger's signature costs.
const (
	minModulus = 2048
	maxModulus = 16384
)

// Public is a public key. The zero value is no key.
type Public struct {
	key crypto.PublicKey
	// only is the algorithm that a JSON Web Key restricts itself to, "" if it does not.
	only Algorithm
}

// NewPublic takes a key of the standard library: ed25519.PublicKey, *ecdsa.PublicKey or
// *rsa.PublicKey. Other types and curves give [ErrUnsupported], RSA keys that no algorithm may use
// [ErrWeak].
func NewPublic(key crypto.PublicKey) (Public, error) {
	switch k := key.(type) {
	case ed25519.PublicKey:
		if len(k) != ed25519.PublicKeySize {
			return Public{}, fmt.Errorf("%w: an Ed25519 key has 32 bytes, this one %d", ErrUndecodable, len(k))
		}
	case *ecdsa.PublicKey:
		if k.Curve != schemes[ES256].curve && k.Curve != schemes[ES384].curve {
			return Public{}, fmt.Errorf("%w: curve %s", ErrUnsupported, k.Curve.Params().Name)
		}
	case *rsa.PublicKey:
		if err := checkRSA(k); err != nil {
			return Public{}, err
		}
	default:
		return Public{}, fmt.Errorf("%w: %T", ErrUnsupported, key)
	}
	return Public{key: key}, nil
}

func checkRSA(k *rsa.PublicKey) error {
	bits := k.N.BitLen()
	switch {
	case bits < minModulus:
		return fmt.Errorf("%w: %d bits, and the least is %d", ErrWeak, bits, minModulus)
	case bits > maxModulus:
		return fmt.Errorf("%w: an RSA key of %d bits; the greatest is %d", ErrUnsupported, bits, maxModulus)
	case k.E < 3 || k.E%2 == 0:
		return fmt.Errorf("%w: its exponent is %d", ErrWeak, k.E)
	}
	return nil
}

// IsZero tells whether there is no key.
func (p Public) IsZero() bool { return p.key == nil }

// Kind is the type of the key for a person: "Ed25519", "P-256", "RSA 3072".
func (p Public) Kind() string {
	switch k := p.key.(type) {
	case ed25519.PublicKey:
		return "Ed25519"
	case *ecdsa.PublicKey:
		return k.Curve.Params().Name
	case *rsa.PublicKey:
		return fmt.Sprintf("RSA %d", k.N.BitLen())
	}
	return "none"
}

// Equal tells whether two keys are the same, whatever form they were read from.
func (p Public) Equal(other Public) bool {
	k, ok := p.key.(interface{ Equal(crypto.PublicKey) bool })
	return ok && k.Equal(other.key)
}

// Check tells whether the key may be used with the algorithm. The error wraps [ErrMismatch] or
// [ErrWeak].
func (p Public) Check(a Algorithm) error {
	s, known := schemes[a]
	if !known {
		return fmt.Errorf("%w: %q is not an algorithm of PAM 1.0", ErrMismatch, a)
	}
	fits, weak := false, false
	switch k := p.key.(type) {
	case ed25519.PublicKey:
		fits = a == Ed25519
	case *ecdsa.PublicKey:
		fits = s.curve != nil && k.Curve == s.curve
	case *rsa.PublicKey:
		fits = s.bits > 0
		weak = fits && k.N.BitLen() < s.bits
	}
	switch {
	case weak:
		return fmt.Errorf("%w: %s needs %d bits, the key has %s", ErrWeak, a, s.bits, p.Kind())
	case !fits:
		return fmt.Errorf("%w: %s, and the key is %s", ErrMismatch, a, p.Kind())
	case p.only != "" && p.only != a:
		return fmt.Errorf("%w: %s, and the key says that it is for %s", ErrMismatch, a, p.only)
	}
	return nil
}

// Fits lists the algorithms that the key may be used with.
func (p Public) Fits() []Algorithm {
	return slices.DeleteFunc(Algorithms(), func(a Algorithm) bool { return p.Check(a) != nil })
}

// Verify checks a signature over a message. The error wraps [ErrMismatch], [ErrWeak] or
// [ErrSignature].
func (p Public) Verify(a Algorithm, message, signature []byte) error {
	if err := p.Check(a); err != nil {
		return fmt.Errorf("verify signature: %w", err)
	}
	s := schemes[a]
	ok := false
	switch k := p.key.(type) {
	case ed25519.PublicKey:
		ok = len(signature) == ed25519.SignatureSize && ed25519.Verify(k, message, signature)
	case *ecdsa.PublicKey:
		ok = verifyECDSA(k, s.digest(message), signature)
	case *rsa.PublicKey:
		ok = rsa.VerifyPKCS1v15(k, s.hash, s.digest(message), signature) == nil
	}
	if !ok {
		return fmt.Errorf("verify signature: %w", ErrSignature)
	}
	return nil
}

// der is the key as SubjectPublicKeyInfo.
func (p Public) der() []byte {
	b, err := x509.MarshalPKIXPublicKey(p.key)
	if err != nil {
		panic("keys: public key cannot be written: " + err.Error()) // NewPublic has checked the type
	}
	return b
}

// Fingerprint is "SHA256:" and the base64 of the SHA-256 of the key's SubjectPublicKeyInfo.
func (p Public) Fingerprint() string {
	sum := sha256.Sum256(p.der())
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// String is the form in which a signature block holds the key (PAM §18.1): multibase for Ed25519, a
// JSON Web Key for the others.
func (p Public) String() string {
	if _, ok := p.key.(ed25519.PublicKey); ok {
		return p.Multibase()
	}
	return string(Public{key: p.key}.JWK())
}
