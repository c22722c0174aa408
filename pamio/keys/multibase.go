package keys

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/binary"
	"fmt"
)

// Multicodec prefixes of public keys.
const (
	codecEd25519 = 0xed
	codecP256    = 0x1200
	codecP384    = 0x1201
	codecRSA     = 0x1205
)

// Multibase is "z" and the base58 of the key with its multicodec prefix, as in did:key. Points of a
// curve are compressed, RSA keys are PKCS #1.
func (p Public) Multibase() string {
	var codec uint64
	var body []byte
	switch k := p.key.(type) {
	case ed25519.PublicKey:
		codec, body = codecEd25519, k
	case *ecdsa.PublicKey:
		codec = codecP256
		if k.Curve == elliptic.P384() {
			codec = codecP384
		}
		x, y := pointCoordinates(k)
		body = append([]byte{2 + y[len(y)-1]&1}, x...)
	case *rsa.PublicKey:
		codec, body = codecRSA, x509.MarshalPKCS1PublicKey(k)
	}
	return "z" + encodeBase58(append(binary.AppendUvarint(nil, codec), body...))
}

// pointCoordinates are those of the point, each with its leading zeros.
func pointCoordinates(k *ecdsa.PublicKey) (x, y []byte) {
	b, err := k.Bytes()
	if err != nil {
		panic("keys: point cannot be written: " + err.Error()) // only points of known curves are made
	}
	half := (len(b) - 1) / 2
	return b[1 : 1+half], b[1+half:]
}

// ParseMultibase reads a key of [Public.Multibase]. Another spelling of the same key is refused, so
// that a key has one name.
func ParseMultibase(s string) (Public, error) {
	if s == "" || s[0] != 'z' {
		return Public{}, fmt.Errorf("%w: multibase text starts with z, for base58", ErrUndecodable)
	}
	b, ok := decodeBase58(s[1:])
	codec, n := binary.Uvarint(b)
	if !ok || n <= 0 {
		return Public{}, fmt.Errorf("%w: no base58 text with a multicodec prefix", ErrUndecodable)
	}
	p, err := parseCodec(codec, b[n:])
	if err != nil {
		return Public{}, err
	}
	if p.Multibase() != s {
		return Public{}, fmt.Errorf("%w: the multibase text is not the shortest one of the key", ErrUndecodable)
	}
	return p, nil
}

func parseCodec(codec uint64, body []byte) (Public, error) {
	switch codec {
	case codecEd25519:
		return NewPublic(ed25519.PublicKey(body))
	case codecP256:
		return parseCompressed(elliptic.P256(), body)
	case codecP384:
		return parseCompressed(elliptic.P384(), body)
	case codecRSA:
		k, err := x509.ParsePKCS1PublicKey(body)
		if err != nil {
			return Public{}, fmt.Errorf("%w: no RSA key in PKCS #1 form", ErrUndecodable)
		}
		return NewPublic(k)
	}
	if name, ok := otherCodecs[codec]; ok {
		return Public{}, fmt.Errorf("%w: %s", ErrUnsupported, name)
	}
	return Public{}, fmt.Errorf("%w: no multicodec prefix of a public key", ErrUndecodable)
}

// otherCodecs are public keys that a DID may have, and that no algorithm of PAM uses.
var otherCodecs = map[uint64]string{
	0xe7: "secp256k1", 0xea: "BLS12-381 G1", 0xeb: "BLS12-381 G2", 0xec: "X25519", 0xee: "BLS12-381 G1G2", 0x1202: "P-521",
	0x1203: "Ed448", 0x1204: "X448", 0x1206: "SM2", 0x1210: "ML-DSA-44", 0x1211: "ML-DSA-65", 0x1212: "ML-DSA-87", 0xeb51: "a JSON Web Key",
}

func parseCompressed(curve elliptic.Curve, body []byte) (Public, error) {
	x, y := elliptic.UnmarshalCompressed(curve, body)
	if x == nil {
		return Public{}, fmt.Errorf("%w: no compressed point of %s", ErrUndecodable, curve.Params().Name)
	}
	n := scalarSize(curve)
	point := make([]byte, 1+2*n)
	point[0] = 4
	x.FillBytes(point[1 : 1+n])
	y.FillBytes(point[1+n:])
	return parseUncompressed(curve, point)
}

func parseUncompressed(curve elliptic.Curve, point []byte) (Public, error) {
	k, err := ecdsa.ParseUncompressedPublicKey(curve, point)
	if err != nil {
		return Public{}, fmt.Errorf("%w: no point of %s", ErrUndecodable, curve.Params().Name)
	}
	return NewPublic(k)
}
