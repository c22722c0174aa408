package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/pamline/pamline/blob"
)

// namedByContent are the forms of the names, below the folder of an owner or of an import, that
// carry the SHA-256 of the object, or its first 16 digits.
var namedByContent = regexp.MustCompile(`^(?:assets/([0-9a-f]{64})\.[^/]+|conversations/[^/]+\.([0-9a-f]{16})\.json|` +
	`inputs/([0-9a-f]{64})\.json|(?:imports/[^/]+/)(?:snapshots/([0-9a-f]{64})\.s2|(?:rejects|vectors)/([0-9a-f]{64})\.zst))$`)

// DigestInName gives the digest that the key of an object carries, or its beginning; "" if the
// object is not named by its content.
func DigestInName(key string) string {
	parts := strings.SplitN(key, "/", 3) // owners/<owner>/…
	if len(parts) < 3 || parts[0] != "owners" {
		return ""
	}
	groups := namedByContent.FindStringSubmatch(path.Clean(parts[2]))
	if groups == nil {
		return ""
	}
	return strings.Join(groups[1:], "")
}

// VerifiedReader hashes an object while it is read. At the end, it gives a permanent fault in the
// place of io.EOF if the content is another one than was named.
type VerifiedReader struct {
	Object blob.Object

	rc   io.ReadCloser
	key  string
	want string // the digest, or its beginning; "" if nothing is known
	sum  hash.Hash
	size int64
	err  error // of the end
}

// OpenVerified opens a whole object. The digest is that of its content, or its beginning; "" stands
// for the digest in the name of the object. A missing object is blob.ErrNotExist.
func OpenVerified(ctx context.Context, s blob.Store, key, digest string) (*VerifiedReader, error) {
	rc, o, err := s.Get(ctx, key, blob.Range{})
	if err != nil {
		return nil, err
	}
	if digest == "" {
		digest = DigestInName(key)
	}
	return &VerifiedReader{Object: o, rc: rc, key: key, want: digest, sum: sha256.New()}, nil
}

func (v *VerifiedReader) Read(p []byte) (int, error) {
	if v.err != nil {
		return 0, v.err
	}
	n, err := v.rc.Read(p)
	v.sum.Write(p[:n])
	v.size += int64(n)
	if err == io.EOF { //nolint:errorlint // the end of a reader is io.EOF itself; an error that wraps it is a failure
		if err = v.check(); err == nil {
			err = io.EOF
		}
		v.err = err
	}
	if errors.Is(err, ErrDamaged) { // found by the store
		err = Damaged(v.key, err)
		v.err = err
	}
	return n, err
}

func (v *VerifiedReader) check() error {
	if strings.HasPrefix(v.Digest(), v.want) {
		return nil
	}
	return Damaged(v.key, ErrDamaged)
}

// Digest is the SHA-256 of what was read.
func (v *VerifiedReader) Digest() string { return hex.EncodeToString(v.sum.Sum(nil)) }

// Size is how many bytes were read.
func (v *VerifiedReader) Size() int64 { return v.size }

// Finish reads to the end, and gives the error of whoever used the content: a content that is
// another one than was named explains every error.
func (v *VerifiedReader) Finish(err error) error {
	_, end := io.Copy(io.Discard, v)
	if end == nil {
		return err
	}
	if err == nil || errors.Is(end, ErrDamaged) {
		return end
	}
	return err
}

// Close ends the reading. What was not read is not verified.
func (v *VerifiedReader) Close() error { return v.rc.Close() }

// ReadVerified reads an object of up to maxObject bytes whole, and gives its digest.
func ReadVerified(ctx context.Context, s blob.Store, key, digest string) (body []byte, sum string, err error) {
	body, _, err = blob.ReadAll(ctx, s, key, maxObject)
	switch {
	case errors.Is(err, blob.ErrTooLarge), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, ErrDamaged):
		return nil, "", Damaged(key, err)
	case err != nil:
		return nil, "", err
	}
	if digest == "" {
		digest = DigestInName(key)
	}
	if sum = Digest(string(body)); !strings.HasPrefix(sum, digest) {
		return nil, sum, Damaged(key, ErrDamaged)
	}
	return body, sum, nil
}

// PutNamed writes objects that are named by their content. One that is there already is read: if it
// is damaged, it is written anew.
func PutNamed(ctx context.Context, s blob.Store, items []blob.Item) error {
	written, err := blob.PutAbsentAll(ctx, s, items)
	if err != nil || written == len(items) {
		return err
	}
	for _, it := range items {
		if err := repairNamed(ctx, s, it); err != nil {
			return err
		}
	}
	return nil
}

func repairNamed(ctx context.Context, s blob.Store, it blob.Item) error {
	whole, err := IsWhole(ctx, s, it.Key, "")
	if err != nil || whole {
		return err
	}
	if _, err := s.Put(ctx, it.Key, bytes.NewReader(it.Body), blob.PutOptions{}); err != nil {
		return fmt.Errorf("write %s anew: %w", it.Key, err)
	}
	return nil
}

// IsWhole tells whether an object is there and has the content of a digest; "" stands for the
// digest in its name.
func IsWhole(ctx context.Context, s blob.Store, key, digest string) (bool, error) {
	v, err := OpenVerified(ctx, s, key, digest)
	if IsMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = errors.Join(v.Finish(nil), v.Close())
	if errors.Is(err, ErrDamaged) {
		return false, nil
	}
	return err == nil, err
}

// Digest is the SHA-256 of a string, in hex.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
