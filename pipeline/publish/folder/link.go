package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// FileMode is that of the files of a bundle.
const FileMode = 0o600

var errNotOurs = errors.New("it is no file that a bundle was written with")

// VerifyLinked gives the SHA-256 of a file that was linked from an earlier folder, if it begins
// with a digest and the file has the mode that bundles are written with; else the link is removed,
// and the digest is "". A person may have changed the file, or who may read it. It is read after it
// was linked, so that nobody can put another in its place.
func VerifyLinked(name, digest string, buffer []byte) (sum string, err error) {
	sum, err = digestOfFile(name, buffer)
	if err != nil || !strings.HasPrefix(sum, digest) {
		return "", os.Remove(name)
	}
	return sum, nil
}

func digestOfFile(name string, buffer []byte) (string, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	if !isAsWritten(info) {
		return "", errNotOurs
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read
	sum := sha256.New()
	_, err = io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{f}, buffer)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// isAsWritten tells whether a file has the mode that bundles are written with, and belongs to the
// two bundles alone: where it has another name, or another owner, a change there would be one in
// the new bundle. Windows has no such modes.
func isAsWritten(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode() == FileMode) && isLinkedTwice(info)
}
