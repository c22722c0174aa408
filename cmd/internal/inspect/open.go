package inspect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// MaxConversation is the largest conversation file that is opened on its own, in bytes.
const MaxConversation = 1 << 30

// Open opens what a path names: a bundle (folder, zip, or store file), or a conversation file.
// Exactly one of the two is given back; the bundle is the caller's to close.
func Open(path string) (*pamio.Bundle, *pamio.Conversation, error) {
	schema, err := schemaOf(path)
	if err != nil {
		return nil, nil, err
	}
	switch schema {
	case pamio.ConversationSchema:
		c, err := readConversation(path)
		return nil, c, err
	case pamio.EmbeddingsSchema:
		return nil, nil, fmt.Errorf("inspect %s: it holds embeddings only; name the bundle they belong to", path)
	}
	b, err := pamio.OpenBundle(path)
	return b, nil, err
}

// schemaOf reads the schema of a JSON document that is not a store, as far as that can be told
// cheaply: "" for folders, zips, stores and everything else.
func schemaOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	// The schema stands at the start of a document by custom, but may stand anywhere: the
	// collections are passed over.
	framer := jsonscan.NewFramer(f, jsonscan.FrameOptions{MaxValue: 384 << 20, Wrappers: []string{"memories", "relations", "conversations_index", "messages", "embeddings"}})
	var buf []byte
	for {
		frame, err := framer.Next(buf)
		if err != nil {
			return "", nil //nolint:nilerr // not JSON: whoever opens it as what it should be says so better
		}
		buf = frame.Raw
		if frame.Wrapper != "" {
			continue
		}
		doc, err := jsonscan.Parse(frame.Raw, 0)
		if err != nil {
			return "", nil //nolint:nilerr // as above
		}
		return doc.Root().Get("schema").Str(), nil
	}
}

// readConversation reads a conversation file. Content that is not what the digest in its name says
// gives an error that wraps [pamio.ErrNameDigest].
func readConversation(path string) (*pamio.Conversation, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	r := pamio.VerifyName("conversations/"+filepath.Base(path), f)
	raw, err := io.ReadAll(io.LimitReader(r, MaxConversation+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(raw) > MaxConversation {
		return nil, fmt.Errorf("read %s: larger than %d bytes", path, MaxConversation)
	}
	c, err := pamio.ParseConversation(raw)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return c, nil
}
