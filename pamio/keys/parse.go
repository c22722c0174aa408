package keys

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
)

// MaxKeyText is the greatest length of a key that is read, in bytes.
const MaxKeyText = 64 << 10

// ParsePrivate reads a private key from PEM or a JSON Web Key. Errors wrap [ErrUndecodable],
// [ErrUnsupported] or [ErrWeak] and hold nothing of the key.
func ParsePrivate(text []byte) (Private, error) {
	key, only, err := parseKey(text)
	if err == nil {
		if _, ok := key.(crypto.Signer); !ok {
			return Private{}, fmt.Errorf("read private key: %w: the text holds no private key that can sign", ErrUndecodable)
		}
		var p Private
		if p, err = newPrivate(key); err == nil {
			p.only = only
			if only != "" {
				err = Public{key: p.key.Public()}.Check(only)
			}
			if err == nil {
				return p, nil
			}
		}
	}
	return Private{}, fmt.Errorf("read private key: %w", err)
}

// ParsePublic reads a public key from PEM, a JSON Web Key or multibase. A private key gives
// [ErrPrivate].
func ParsePublic(text []byte) (Public, error) {
	all, err := ParseEmbedded(string(bytes.TrimSpace(text)))
	if err != nil {
		return Public{}, err
	}
	return all[0], nil
}

// ParseEmbedded reads the public_key of a signature block (PAM §18.1): multibase, PEM, a JSON Web
// Key, or the 32 bytes of an Ed25519 key in base58 or base64url. The last two have texts in common,
// so that there may be two readings.
func ParseEmbedded(text string) ([]Public, error) {
	if len(text) > MaxKeyText {
		return nil, fmt.Errorf("read public key: %w: %d characters", ErrUndecodable, len(text))
	}
	if strings.HasPrefix(text, "{") || strings.Contains(text, "-----BEGIN ") {
		p, err := parsePublicText([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("read public key: %w", err)
		}
		return []Public{p}, nil
	}
	var found []Public
	p, err := ParseMultibase(text)
	if err == nil {
		found = append(found, p)
	}
	if b, ok := decodeBase58(text); ok && len(b) == ed25519.PublicKeySize {
		found = append(found, Public{key: ed25519.PublicKey(b)})
	}
	if b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "=")); err == nil && len(b) == ed25519.PublicKeySize {
		found = append(found, Public{key: ed25519.PublicKey(b)})
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("read public key: %w", err)
	}
	return found, nil
}

func parsePublicText(text []byte) (Public, error) {
	key, only, err := parseKey(text)
	if err != nil {
		return Public{}, err
	}
	if _, private := key.(crypto.Signer); private {
		return Public{}, ErrPrivate
	}
	p, err := NewPublic(key)
	if err != nil {
		return Public{}, err
	}
	p.only = only
	if only == "" {
		return p, nil
	}
	return p, p.Check(only)
}

// parseKey reads PEM or a JSON Web Key.
func parseKey(text []byte) (key any, only Algorithm, err error) {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) > MaxKeyText:
		return nil, "", fmt.Errorf("%w: the text is longer than %d bytes", ErrUndecodable, MaxKeyText)
	case bytes.HasPrefix(text, []byte("{")):
		return parseJWK(text)
	case bytes.Contains(text, []byte("-----BEGIN ")):
		key, err = parsePEM(text)
		return key, "", err
	}
	return nil, "", fmt.Errorf("%w: neither PEM nor a JSON Web Key", ErrUndecodable)
}
