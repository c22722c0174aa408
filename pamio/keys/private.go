package keys

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
)

// Private is a private key. It has no text form of its own, so that no log shows it.
type Private struct {
	key  crypto.Signer
	only Algorithm
}

// Generate makes a new key for the algorithm. RSA keys have the least size that PAM §18.2 demands.
func Generate(a Algorithm) (Private, error) {
	s, known := schemes[a]
	if !known {
		return Private{}, fmt.Errorf("generate key: %w: %q is not an algorithm of PAM 1.0", ErrMismatch, a)
	}
	var key crypto.Signer
	var err error
	switch {
	case s.curve != nil:
		key, err = ecdsa.GenerateKey(s.curve, rand.Reader)
	case s.bits > 0:
		key, err = rsa.GenerateKey(rand.Reader, s.bits)
	default:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		return Private{}, fmt.Errorf("generate key: %w", err)
	}
	return Private{key: key, only: a}, nil
}

// newPrivate checks a key that was read.
func newPrivate(key any) (Private, error) {
	signer, ok := key.(crypto.Signer)
	if !ok {
		return Private{}, fmt.Errorf("%w: %T", ErrUnsupported, key)
	}
	if _, err := NewPublic(signer.Public()); err != nil {
		return Private{}, err
	}
	if k, ok := key.(*rsa.PrivateKey); ok {
		if err := k.Validate(); err != nil {
			return Private{}, fmt.Errorf("%w: the numbers of the RSA key do not belong together", ErrUndecodable)
		}
	}
	return Private{key: signer}, nil
}

// IsZero tells whether there is no key.
func (p Private) IsZero() bool { return p.key == nil }

// Public is the public half.
func (p Private) Public() Public { return Public{key: p.key.Public(), only: p.only} }

// Algorithm is the one to use when nobody names another: that of the JSON Web Key, else the
// strongest that the key fits.
func (p Private) Algorithm() Algorithm {
	if p.only != "" {
		return p.only
	}
	fits := p.Public().Fits()
	return fits[len(fits)-1] // NewPublic takes no key that fits none
}

// Sign signs a message. The error wraps [ErrMismatch] or [ErrWeak] if the key may not be used so.
func (p Private) Sign(a Algorithm, message []byte) (signature []byte, err error) {
	if err := p.Public().Check(a); err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	s := schemes[a]
	switch k := p.key.(type) {
	case ed25519.PrivateKey:
		signature = ed25519.Sign(k, message)
	case *ecdsa.PrivateKey:
		signature, err = signECDSA(k, s, message)
	case *rsa.PrivateKey:
		signature, err = rsa.SignPKCS1v15(nil, k, s.hash, s.digest(message))
	}
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return signature, nil
}

// String hides the key.
func (p Private) String() string { return "private key" }

// GoString hides the key.
func (p Private) GoString() string { return p.String() }
