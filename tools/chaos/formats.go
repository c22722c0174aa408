package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/publish"
)

// generator is how the workers name themselves in files of other formats.
const generator = "pamline/1.0.0"

// formats are those of the setting publish.formats that are computed again from what a head names.
// Of the other one, the sums are compared.
var formats = []publish.Format{{Name: "mif", End: ".mif.json", Write: func(ctx context.Context, b *pamio.Bundle, scratch string, w io.Writer) error {
	_, err := convert.MIFFromPAM(ctx, b, convert.Options{Scratch: scratch, Generator: generator}, w)
	return err
}}}

// ends are those of the names of files in the formats that publish.formats asks for.
var ends = []string{".mem.zip", ".mif.json"}

// formats holds the files of a store in other formats against what the head says of them, and the
// copies beside the store against these files.
func (s *State) formats(c current, all map[string][]byte) {
	for _, end := range ends {
		key := c.prefix + "exports/" + c.head.ExportID + end
		sum := sha256.Sum256(all[key])
		switch file, ok := c.head.Formats[end]; {
		case !ok:
			s.wrong("the head of %s names no file that ends in %s", c.prefix, end)
		case file.SHA256 != hex.EncodeToString(sum[:]) || file.Size != int64(len(all[key])):
			s.wrong("%s is not the file that the head names", key)
		case !bytes.Equal(all[c.prefix+"memories"+end], all[key]):
			s.wrong("%smemories%s is not a copy of %s", c.prefix, end, key)
		}
	}
}
