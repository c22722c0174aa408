package validate

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// digestReader hashes a file whose name carries its digest, while it is read.
type digestReader struct {
	io.ReadCloser
	want string // "" if the name has no digest
	sum  hash.Hash
	err  error // of reading
}

func newDigestReader(file string, r io.ReadCloser) *digestReader {
	d := &digestReader{ReadCloser: r}
	if !strings.Contains(file, "/") {
		file = "conversations/" + file // a conversation file that is validated by itself
	}
	if want := pamio.NameDigest(file); want != "" {
		d.want, d.sum = want, sha256.New()
	}
	return d
}

func (d *digestReader) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if d.want != "" {
		d.sum.Write(p[:n])
	}
	if err != nil && err != io.EOF { //nolint:errorlint // the end of a reader is io.EOF itself; an error that wraps it is a failure
		d.err = err
	}
	return n, err
}

// isWhole reads to the end, and tells whether the file is what its name says. A file that cannot be
// read is reported as that.
func (d *digestReader) isWhole() bool {
	if d.want == "" || d.err != nil {
		return true
	}
	if _, err := io.Copy(io.Discard, d); err != nil {
		return true
	}
	return strings.HasPrefix(hex.EncodeToString(d.sum.Sum(nil)), d.want)
}
