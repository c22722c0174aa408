package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// Sizes of the format, in bytes.
const (
	chunkSize  = 64 << 10
	tagSize    = 16
	wholeChunk = chunkSize + tagSize
	idSize     = 8
	saltSize   = 32
	headerSize = int64(len(magic) + idSize + saltSize)
	keySize    = 32
)

// magic begins each sealed object. The last byte is the version of the format.
const magic = "pamline sealed\x00\x01"

// header is the beginning of a sealed object.
type header struct {
	id   KeyID
	salt [saltSize]byte
}

func (h header) bytes() []byte {
	b := append([]byte(magic), h.id[:]...)
	return append(b, h.salt[:]...)
}

var errNoHeader = errors.New("it is not encrypted, or its beginning was changed")

// IsObject tells whether a file begins like a sealed object.
func IsObject(prefix []byte) bool {
	return len(prefix) >= len(magic) && string(prefix[:len(magic)]) == magic
}

// MagicSize is how many bytes of a file IsObject needs.
const MagicSize = len(magic)

func parseHeader(b []byte) (h header, err error) {
	if int64(len(b)) < headerSize || string(b[:len(magic)]) != magic {
		return h, errNoHeader
	}
	copy(h.id[:], b[len(magic):])
	copy(h.salt[:], b[len(magic)+idSize:])
	return h, nil
}

// cipherFor gives the cipher of one object.
func cipherFor(k DataKey, h header, object string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, k.secret[:], h.salt[:], "pamline sealed object v1\x00"+string(h.id[:])+object, keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// nonceOf is the nonce of a chunk.
func nonceOf(chunk int64, last bool) []byte {
	var n [12]byte
	binary.BigEndian.PutUint64(n[3:11], uint64(chunk))
	if last {
		n[11] = 1
	}
	return n[:]
}

// chunksOf is how many chunks an object of a sealed size has, at least one.
func chunksOf(sealed int64) int64 {
	return max(1, (sealed-headerSize+wholeChunk-1)/wholeChunk)
}

// plainSize is the size of the content of an object of a sealed size; 0 if that is none.
func plainSize(sealed int64) int64 {
	return max(0, sealed-headerSize-chunksOf(sealed)*tagSize)
}

// sealedSize is the size of an object with content of a size.
func sealedSize(plain int64) int64 {
	chunks := max(1, (plain+chunkSize-1)/chunkSize)
	return headerSize + plain + chunks*tagSize
}

// openChunk decrypts a chunk in place.
func openChunk(c cipher.AEAD, chunk int64, last bool, text []byte) ([]byte, error) {
	plain, err := c.Open(text[:0], nonceOf(chunk, last), text, nil)
	if err != nil {
		return nil, fmt.Errorf("bytes from %d on were changed, or are of another object", chunk*chunkSize)
	}
	return plain, nil
}
