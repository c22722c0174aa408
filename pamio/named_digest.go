package pamio

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strings"
)

// ErrNameDigest is wrapped for a file whose name carries its digest and whose content has another
// one: it was damaged, or changed by hand.
var ErrNameDigest = errors.New("the content is not what the digest in the name says: the file was damaged or changed")

// namedFiles are the forms of names that carry the SHA-256 of the file, or its first 16 hex digits.
// Names of any other form tell nothing.
var namedFiles = regexp.MustCompile(`^(?:conversations/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.([0-9a-f]{16})\.json|assets/([0-9a-f]{64})(?:\.[^/]*)?)$`)

// NameDigest gives the digest, in hex, that the name of a file in a bundle carries; "" for none. It
// may be the beginning of the digest.
func NameDigest(name string) string {
	g := namedFiles.FindStringSubmatch(name)
	if g == nil {
		return ""
	}
	return g[1] + g[2]
}

// VerifyName gives a reader of a file that ends with an error that wraps [ErrNameDigest] if the
// content is not what the name says. The name is relative to the store.
func VerifyName(name string, r io.Reader) io.Reader {
	want := NameDigest(name)
	if want == "" {
		return r
	}
	return &namedReader{r: r, name: name, want: want, sum: sha256.New()}
}

type namedReader struct {
	r          io.Reader
	name, want string
	sum        hash.Hash
}

func (n *namedReader) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	n.sum.Write(p[:k])
	if errors.Is(err, io.EOF) && !strings.HasPrefix(hex.EncodeToString(n.sum.Sum(nil)), n.want) {
		err = fmt.Errorf("read %s: %w", n.name, ErrNameDigest)
	}
	return k, err
}
