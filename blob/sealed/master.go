package sealed

import (
	"bufio"
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Master wraps data keys. It is kept outside the store: in a file, or by a service.
type Master interface {
	// ID names the key that Wrap uses. It tells nothing about it.
	ID() string
	// Wrap encrypts a data key, bound to what.
	Wrap(ctx context.Context, key []byte, what string) ([]byte, error)
	// Unwrap decrypts what the key of an id has wrapped. An unknown id is [ErrMaster].
	Unwrap(ctx context.Context, id string, wrapped []byte, what string) ([]byte, error)
}

// ErrMaster: a data key was wrapped by another master key than those at hand.
var ErrMaster = errors.New("the master key is another one than the one that this store was encrypted with: give that one with encryption.key_file, or `pamline key restore` a backup of it")

// LocalMaster is a master key whose bytes this process knows, and earlier ones that still unwrap.
type LocalMaster struct {
	keys   [][]byte
	random io.Reader
}

// masterPrefix begins a line of a key file.
const masterPrefix = "PAMLINE-MASTER-KEY-1:"

// maxMasters bounds the keys of a file.
const maxMasters = 100

// NewMaster makes a master key.
func NewMaster(random io.Reader) (*LocalMaster, error) {
	key := make([]byte, keySize)
	if _, err := io.ReadFull(random, key); err != nil {
		return nil, fmt.Errorf("make master key: %w", err)
	}
	return &LocalMaster{[][]byte{key}, random}, nil
}

// ParseMaster reads the text of a key file: a key on each line, the current one first. Its error
// quotes nothing of the text.
func ParseMaster(text []byte, random io.Reader) (*LocalMaster, error) {
	m := &LocalMaster{random: random}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		body, ok := strings.CutPrefix(line, masterPrefix)
		key, err := base64.RawURLEncoding.DecodeString(body)
		if !ok || err != nil || len(key) != keySize || len(m.keys) == maxMasters {
			return nil, fmt.Errorf("read master key: line %d is not a master key of pamline", n)
		}
		m.keys = append(m.keys, key)
	}
	if lines.Err() != nil || len(m.keys) == 0 {
		return nil, errors.New("read master key: there is no master key of pamline in it")
	}
	return m, nil
}

// Text is the text of a key file.
func (m *LocalMaster) Text() []byte {
	var b bytes.Buffer
	b.WriteString("# The master key of pamline. Whoever has it can read what is encrypted; without it nobody can. Keep a copy elsewhere.\n")
	for _, key := range m.keys {
		b.WriteString(masterPrefix + base64.RawURLEncoding.EncodeToString(key) + "\n")
	}
	return b.Bytes()
}

// Rotated gives a new key that still unwraps what the earlier ones have wrapped.
func (m *LocalMaster) Rotated() (*LocalMaster, error) {
	next, err := NewMaster(m.random)
	if err != nil {
		return nil, err
	}
	next.keys = append(next.keys, m.keys...)
	return next, nil
}

// Current gives the current key without the earlier ones.
func (m *LocalMaster) Current() *LocalMaster { return &LocalMaster{m.keys[:1], m.random} }

// IDs are the ids of all keys, that of the current one first.
func (m *LocalMaster) IDs() []string {
	ids := make([]string, len(m.keys))
	for i, key := range m.keys {
		ids[i] = masterID(key)
	}
	return ids
}

func masterID(key []byte) string {
	sum := sha256.Sum256(append([]byte("pamline master key id\x00"), key...))
	return hex.EncodeToString(sum[:8])
}

func (m *LocalMaster) ID() string { return masterID(m.keys[0]) }

func (m *LocalMaster) Wrap(_ context.Context, key []byte, what string) ([]byte, error) {
	c, err := gcmOf(m.keys[0])
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, c.NonceSize())
	if _, err := io.ReadFull(m.random, nonce); err != nil {
		return nil, fmt.Errorf("wrap key: %w", err)
	}
	return c.Seal(nonce, nonce, key, []byte(what)), nil
}

func (m *LocalMaster) Unwrap(_ context.Context, id string, wrapped []byte, what string) ([]byte, error) {
	for _, key := range m.keys {
		if masterID(key) != id {
			continue
		}
		c, err := gcmOf(key)
		if err != nil {
			return nil, err
		}
		if len(wrapped) < c.NonceSize() {
			return nil, errWrapped
		}
		plain, err := c.Open(nil, wrapped[:c.NonceSize()], wrapped[c.NonceSize():], []byte(what))
		if err != nil {
			return nil, errWrapped
		}
		return plain, nil
	}
	return nil, ErrMaster
}

var errWrapped = errors.New("the wrapped data key was changed")

func gcmOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
