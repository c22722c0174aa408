package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
)

// ranges reads a part of an object, as importers do of large archives.
func (c *checker) ranges(ctx context.Context) {
	c.try("read a part of an object", "use a store that honours ranges: archives are read in parts", func() error {
		if _, err := c.put(ctx, "range", "0123456789", blob.PutOptions{}); err != nil {
			return err
		}
		text, err := c.read(ctx, "range", blob.Range{Offset: 3, Length: 4})
		if err == nil && text != "3456" {
			err = fmt.Errorf("bytes 3 to 6 of %q came back as %q", "0123456789", text)
		}
		return err
	})
}

// listed are names whose order tells whether a server sorts by bytes.
var listed = []string{"A", "a b", "a!c", "a-b", "a.b", "a/b", "a0", "a_b", "b", "z", "é", "名"}

// listing reads a folder in pages: Options of a check ask for small ones.
func (c *checker) listing(ctx context.Context) {
	c.try("list objects in the order of their names, page by page", "use a general purpose bucket, or a server that lists in byte order", func() error {
		for _, name := range listed {
			if _, err := c.put(ctx, "list/"+name, "x", blob.PutOptions{}); err != nil {
				return err
			}
		}
		var got []string
		for o, err := range c.s.List(ctx, c.prefix+"list/") {
			if err != nil {
				return err
			}
			got = append(got, strings.TrimPrefix(o.Key, c.prefix+"list/"))
		}
		if !slices.Equal(got, listed) {
			return fmt.Errorf("%q were written and %q are listed", listed, got)
		}
		return nil
	})
}

// large writes an object in parts, under a condition that holds and one that does not.
func (c *checker) large(ctx context.Context, partSize int64) {
	size := partSize + 1
	var first blob.Object
	if !c.try("write an object in parts", "allow s3:PutObject and s3:AbortMultipartUpload, or use another server", func() (err error) {
		first, err = c.s.Put(ctx, c.prefix+"large", &zeros{size}, blob.PutOptions{IfAbsent: true})
		return err
	}) {
		return
	}
	c.try("refuse to write one in parts that exists, and drop its parts", needConditions, func() error {
		_, err := c.s.Put(ctx, c.prefix+"large", &zeros{size}, blob.PutOptions{IfAbsent: true})
		return refused(err, "If-None-Match on the end of an upload in parts")
	})
	c.try("find the whole of it", "use another server: this one does not keep what is written in parts", func() error {
		o, err := c.s.Head(ctx, c.prefix+"large")
		if err == nil && (o.Size != size || o.ETag != first.ETag) {
			err = fmt.Errorf("%d bytes with the tag %s were written; %d with %s are there", size, first.ETag, o.Size, o.ETag)
		}
		if err != nil {
			return err
		}
		end, err := c.read(ctx, "large", blob.Range{Offset: partSize, Length: 1})
		if err == nil && end != "\x00" {
			err = errors.New("its last byte did not come back")
		}
		return err
	})
}
