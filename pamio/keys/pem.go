package keys

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
)

// PEM is the key as SubjectPublicKeyInfo in a "PUBLIC KEY" block.
func (p Public) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: p.der()})
}

// PEM is the key as PKCS #8 in a "PRIVATE KEY" block.
func (p Private) PEM() []byte {
	b, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		panic("keys: private key cannot be written: " + err.Error()) // newPrivate has checked the type
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: b})
}

// pemReaders read the blocks of keys by their type.
var pemReaders = map[string]func([]byte) (any, error){
	"PRIVATE KEY":     x509.ParsePKCS8PrivateKey,
	"EC PRIVATE KEY":  func(b []byte) (any, error) { return x509.ParseECPrivateKey(b) },
	"RSA PRIVATE KEY": func(b []byte) (any, error) { return x509.ParsePKCS1PrivateKey(b) },
	"PUBLIC KEY":      x509.ParsePKIXPublicKey,
	"RSA PUBLIC KEY":  func(b []byte) (any, error) { return x509.ParsePKCS1PublicKey(b) },
}

// pemHints say what to do about blocks that hold a key in a form that is not read.
var pemHints = map[string]string{
	"ENCRYPTED PRIVATE KEY": "the private key is encrypted; decrypt it first: openssl pkey -in KEY -out PLAIN",
	"OPENSSH PRIVATE KEY":   "the key is in OpenSSH form; make one with pamline keygen",
	"CERTIFICATE":           "this is a certificate; extract its key: openssl x509 -pubkey -noout -in CERT",
}

// parsePEM reads the one key of a PEM text.
func parsePEM(text []byte) (any, error) {
	var key any
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type == "EC PARAMETERS" {
			continue // openssl ecparam writes it before the key, which says the same
		}
		if hint, ok := pemHints[block.Type]; ok {
			return nil, fmt.Errorf("%w: %s", ErrUndecodable, hint)
		}
		read, ok := pemReaders[block.Type]
		if !ok {
			return nil, fmt.Errorf("%w: a PEM block of an unknown type", ErrUndecodable)
		}
		if key != nil {
			return nil, fmt.Errorf("%w: there is more than one key; keep one", ErrUndecodable)
		}
		var err error
		if key, err = read(block.Bytes); err != nil {
			// The text of the error could quote what was read.
			return nil, fmt.Errorf("%w: the PEM block %s is damaged or of an unsupported type", ErrUndecodable, block.Type)
		}
	}
	if key == nil {
		return nil, fmt.Errorf("%w: there is no whole PEM block", ErrUndecodable)
	}
	return key, nil
}
