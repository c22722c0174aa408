package validate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// assetsFolder is where the files that messages name lie in a bundle. The specification has refs of
// attachments and parts, but says nothing of what they name; one that begins with this folder can
// be followed.
const assetsFolder = "assets"

// checkAssets holds the files below assets/ against the digests in their names, and the refs of
// messages against the files.
func (c *checker) checkAssets() error {
	err := eachFile(c.fsys, assetsFolder, func(name string) error { return c.assets.add(name, record{defined}) })
	if c.wrong(fileUnreadable, err != nil) {
		c.find(fileUnreadable, place{assetsFolder, "", -1}, "the folder cannot be listed: %s", reason(err))
	}
	there := false
	for r, err := range c.assets.rows() {
		if err != nil {
			return fmt.Errorf("read refs of assets: %w", err)
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if r.first {
			there = false
		}
		if r.byte() == defined {
			there = true
			c.asset(string(r.key))
			continue
		}
		at := place{offset: int64(r.int())}
		at.file, at.pointer = r.text(), r.text()
		if c.wrong(assetMissing, !there) {
			c.missingFile(assetMissing, at, string(r.key), "the file %s is not in the bundle")
		}
	}
	return nil
}

// asset reads one file and compares it with its name, when that is a digest.
func (c *checker) asset(file string) {
	c.report.Seen.Assets++
	f, err := openFile(c.fsys, file)
	if c.wrong(fileUnreadable, err != nil) {
		c.find(fileUnreadable, place{file, "", -1}, "the file cannot be opened: %s", reason(err))
		return
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	c.report.Seen.Bytes += n
	if err = errors.Join(err, f.Close()); c.wrong(fileUnreadable, err != nil) {
		c.find(fileUnreadable, place{file, "", -1}, "the file cannot be read: %s", reason(err))
		return
	}
	base := path.Base(file)
	name := strings.TrimSuffix(base, path.Ext(base))
	if sum, err := hex.DecodeString(name); err != nil || len(sum) != sha256.Size {
		return // a file of another tool, named after something else
	}
	if c.wrong(assetDamaged, hex.EncodeToString(h.Sum(nil)) != strings.ToLower(name)) {
		c.find(assetDamaged, place{file, "", -1}, "the SHA-256 of the file is not the one in its name; it was changed or damaged")
	}
}
