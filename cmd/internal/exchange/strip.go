package exchange

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/pamline/pamline/cmd/internal/storefile"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/strip"
	"github.com/pamline/pamline/pamio/sums"
)

// Stripped has an export written to o.To without the identifiers of the person, the accounts and
// the files ([strip]). run gets the options to export with; what it writes is a scratch folder,
// which is removed. assets is how many assets the result has.
func Stripped(o Options, key []byte, run func(Options) error) (assets int64, err error) {
	inner := o
	inner.To = filepath.Join(o.Scratch, "whole")
	if err := run(inner); err != nil {
		return 0, err
	}
	in, err := storefile.Open(inner.To)
	if err != nil {
		return 0, err
	}
	_, err = fs.Stat(in.Bundle().FS(), sums.File)
	s := &stripping{in: in.Bundle(), strip: strip.New(key), scratch: o.Scratch, files: map[string]string{}}
	err = writeTarget(o.To, o.Stdout, err == nil, s.write) // only a bundle has sums
	if err = errors.Join(err, in.Close(), os.RemoveAll(inner.To)); err != nil {
		return 0, fmt.Errorf("strip identifiers: %w", err)
	}
	return s.assetCount, nil
}

// stripping writes one stripped bundle.
type stripping struct {
	in      *pamio.Bundle
	strip   *strip.Stripper
	scratch string
	// files are the assets that messages name: new names by their names in the source.
	files      map[string]string
	assetCount int64
}

func (s *stripping) write(out output) (err error) {
	memories, relations, index := newSorted(s.scratch), newSorted(s.scratch), newSorted(s.scratch)
	defer func() { err = errors.Join(err, memories.close(), relations.close(), index.close()) }()
	var header pamio.Header
	files := map[string]string{} // of conversations: the new name to the one in the source
	err = s.readStore(pamio.Visitor{
		MaxValue: -1,
		Memory: func(e pamio.Element) error {
			m, err := pamio.ParseMemory(e.Raw)
			if err != nil {
				return err
			}
			m = s.strip.Memory(m)
			return memories.add(m.ID, m.AppendCanonical)
		},
		Relation: func(e pamio.Element) error {
			r, err := pamio.ParseRelation(e.Raw)
			if err != nil {
				return err
			}
			r = s.strip.Relation(r)
			return relations.add(r.ID, r.AppendCanonical)
		},
		IndexEntry: func(e pamio.Element) error {
			entry, err := pamio.ParseIndexEntry(e.Raw)
			if err != nil {
				return err
			}
			ref := s.conversationRef(entry)
			if ref != "" {
				files[s.strip.ConversationFile(entry.ID)] = ref
			}
			entry = s.strip.IndexEntry(entry, ref != "")
			return index.add(entry.ID, entry.AppendCanonical)
		},
		Scalars: func(sc *pamio.Scalars) error {
			header = s.strip.Header(sc.Header)
			return nil
		},
	})
	if err != nil {
		return err
	}
	integrity, err := memories.sort()
	if err != nil {
		return err
	}
	for _, c := range []*sorted{relations, index} {
		if _, err := c.sort(); err != nil {
			return err
		}
	}
	err = out.add(pamio.StoreFile, func(w io.Writer) error {
		return pamio.WriteStore(w, header, memories.text, relations.text, index.text, integrity, nil)
	})
	if err != nil {
		return err
	}
	if err := s.embeddings(out); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := s.conversation(out, name, files[name]); err != nil {
			return err
		}
	}
	return s.assets(out)
}

func (s *stripping) readStore(v pamio.Visitor) (err error) {
	f, err := s.in.OpenStore()
	if err != nil {
		return err
	}
	return errors.Join(pamio.ReadStore(f, v), f.Close())
}

// conversationRef is the file of an index entry in the source, "" if it has none.
func (s *stripping) conversationRef(e *pamio.IndexEntry) string {
	if e.Storage == nil || e.Storage.Type != "file" {
		return ""
	}
	name := path.Clean(e.Storage.Ref)
	if info, err := fs.Stat(s.in.FS(), name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return name
}
