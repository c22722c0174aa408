package keys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/asn1"
	"fmt"
	"math/big"
)

// scalarSize is the length of r and of s in bytes.
func scalarSize(c elliptic.Curve) int { return (c.Params().BitSize + 7) / 8 }

// verifyECDSA accepts r‖s (RFC 7518 §3.4) and DER: PAM §18 does not say which of the two it means.
func verifyECDSA(k *ecdsa.PublicKey, digest, signature []byte) bool {
	n := scalarSize(k.Curve)
	if len(signature) == 2*n {
		r, s := new(big.Int).SetBytes(signature[:n]), new(big.Int).SetBytes(signature[n:])
		if ecdsa.Verify(k, digest, r, s) {
			return true
		}
	}
	return len(signature) > 0 && signature[0] == 0x30 && ecdsa.VerifyASN1(k, digest, signature)
}

// signECDSA signs deterministically (RFC 6979) and writes r‖s, each with its leading zeros. Of the
// two values that s can have it is the smaller one, which every verifier accepts.
func signECDSA(k *ecdsa.PrivateKey, s scheme, message []byte) ([]byte, error) {
	der, err := k.Sign(nil, s.digest(message), s.hash)
	if err != nil {
		return nil, err
	}
	var pair struct{ R, S *big.Int }
	if rest, err := asn1.Unmarshal(der, &pair); err != nil || len(rest) > 0 {
		return nil, fmt.Errorf("read the pair of numbers: %w", err)
	}
	order := k.Curve.Params().N
	if other := new(big.Int).Sub(order, pair.S); other.Cmp(pair.S) < 0 {
		pair.S = other
	}
	n := scalarSize(k.Curve)
	out := make([]byte, 2*n)
	pair.R.FillBytes(out[:n])
	pair.S.FillBytes(out[n:])
	return out, nil
}
