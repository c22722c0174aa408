package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// conversation writes one conversation file.
func (s *stripping) conversation(out output, name, source string) error {
	text, err := fs.ReadFile(s.in.FS(), source)
	if err != nil {
		return err
	}
	c, err := pamio.ParseConversation(text)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	var failed error
	c = s.strip.Conversation(c, func(ref string) string {
		name, err := s.asset(ref)
		failed = errors.Join(failed, err)
		return name
	})
	if failed != nil {
		return failed
	}
	return out.add(name, func(w io.Writer) error {
		_, err := w.Write(c.AppendJSON(nil))
		return err
	})
}

// plainExtension is one that says no more than what kind of file it is.
var plainExtension = regexp.MustCompile(`^\.[a-z0-9]{1,8}$`)

// asset is the new name of the file that a ref of a message names: assets/<sha256>.<extension>; ""
// if the bundle does not have it.
func (s *stripping) asset(ref string) (name string, err error) {
	f, err := s.in.Open(ref)
	if err != nil {
		return "", nil //nolint:nilerr // a place outside of the bundle, or a missing file: validate says so
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	source := path.Clean(ref)
	if name, done := s.files[source]; done {
		return name, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", source, err)
	}
	name = assetsFolder + "/" + hex.EncodeToString(h.Sum(nil))
	if ext := strings.ToLower(path.Ext(source)); plainExtension.MatchString(ext) {
		name += ext
	}
	s.files[source] = name
	return name, nil
}

// assets writes the files that messages name, each once.
func (s *stripping) assets(out output) error {
	done := map[string]bool{}
	for _, source := range slices.Sorted(maps.Keys(s.files)) {
		name := s.files[source]
		if done[name] {
			continue
		}
		done[name] = true
		s.assetCount++
		f, err := s.in.FS().Open(source)
		if err != nil {
			return err
		}
		if err := addFile(out, name, source, f); err != nil {
			return err
		}
	}
	return nil
}

// embeddings writes the embeddings file, if there is one.
func (s *stripping) embeddings(out output) (err error) {
	f, err := s.in.OpenEmbeddings()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sorted := newSorted(s.scratch)
	defer func() { err = errors.Join(err, sorted.close()) }()
	err = pamio.ReadEmbeddings(f, -1, func(e pamio.Element) error {
		embedding, err := pamio.ParseEmbedding(e.Raw)
		if err != nil {
			return err
		}
		embedding = s.strip.Embedding(embedding)
		return sorted.add(embedding.ID, embedding.AppendCanonical)
	})
	if err != nil {
		return err
	}
	if _, err := sorted.sort(); err != nil {
		return err
	}
	return out.add(pamio.EmbeddingsFile, func(w io.Writer) error { return pamio.WriteEmbeddings(w, sorted.text) })
}
