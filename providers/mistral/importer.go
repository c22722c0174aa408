// Package mistral reads the export of Mistral's Le Chat: a file chat-<uuid>.json for each
// conversation, a list of its messages in no order, and a folder chat-<uuid>-files beside it with
// the files that were attached. There is one generation: elements with chatId, role and
// contentChunks or createdAt.
//
// The list has no object around it, so a conversation has no title and no times of its own.
// Messages are put in the order of their times. A regenerated answer stands beside the one that it
// replaces and has a version, or says over which it was preferred: only conversations with such
// answers are linked.
package mistral

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

const (
	provider = "mistral"
	version  = "mistral-importer/2026.11"
)

// Importer reads Le Chat exports. It holds nothing.
type Importer struct{}

// New gives the importer.
func New() importer.Importer { return Importer{} }

// Name is the provider's identifier. It is none of the registered ones (PAM §11.4).
func (Importer) Name() string { return provider }

// Version is that of this importer.
func (Importer) Version() string { return version }

// RestoreFile is the name of the list of what is restored: an array of chats, each of which is a
// file in the export.
func (Importer) RestoreFile() string { return "chats.json" }

const roleChat = "chat"

// Decode turns a file into a conversation.
func (Importer) Decode(u importer.Unit) ([]importer.Item, error) {
	snap, err := decodeChat(u)
	if err != nil {
		return nil, err
	}
	return []importer.Item{{Conversation: snap}}, nil
}

// Restore gives the list of messages that a file of the export is.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	s := schemas[doc.Provider.ExportFormatVersion]
	if s == nil {
		return dst, fmt.Errorf("restore conversation %s: %q is no format version of %s", doc.ID, doc.Provider.ExportFormatVersion, version)
	}
	return s.Restore(dst, doc)
}
