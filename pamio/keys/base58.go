package keys

import (
	"bytes"
	"math/big"
)

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// maxBase58 bounds the time that decoding takes, which grows with the square of the length.
const maxBase58 = 4096

func encodeBase58(b []byte) string {
	zeros := 0
	for zeros < len(b) && b[zeros] == 0 {
		zeros++
	}
	var out []byte
	n, base, digit := new(big.Int).SetBytes(b), big.NewInt(58), new(big.Int)
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		out = append(out, base58Digits[digit.Int64()])
	}
	out = append(out, bytes.Repeat([]byte{'1'}, zeros)...)
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return string(out)
}

func decodeBase58(s string) ([]byte, bool) {
	if s == "" || len(s) > maxBase58 {
		return nil, false
	}
	zeros := 0
	for zeros < len(s) && s[zeros] == '1' {
		zeros++
	}
	n, base := new(big.Int), big.NewInt(58)
	for i := range len(s) {
		d := bytes.IndexByte([]byte(base58Digits), s[i])
		if d < 0 {
			return nil, false
		}
		n.Add(n.Mul(n, base), big.NewInt(int64(d)))
	}
	return append(make([]byte, zeros), n.Bytes()...), true
}
