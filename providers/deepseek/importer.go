// Package deepseek reads the export of chat.deepseek.com: conversations.json, a list of
// conversations whose messages are a tree below the node "root", and user.json, the account. There
// are two generations of messages and two of times; which a conversation has is told by its keys
// and named in provider.export_format_version:
//
//	fragments                a message is a list of fragments: REQUEST, THINK, RESPONSE; times are inserted_at, updated_at
//	content                  a message has a role and one text; times as above
//	fragments-create-time,   the same in what other programs save: times of the conversation are create_time,
//	content-create-time      update_time
//
// ChatGPT's export has a tree called mapping, too. What tells DeepSeek's apart is exact: the key
// inserted_at, fragments, or the node "root" where no message has an author. So this importer must
// be asked before that of ChatGPT.
package deepseek

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

const (
	provider = "deepseek"
	version  = "deepseek-importer/2026.11"
)

// Importer reads DeepSeek exports. It holds nothing.
type Importer struct{}

// New gives the importer.
func New() importer.Importer { return Importer{} }

// Name is the provider's identifier. It is none of the registered ones (PAM §11.4).
func (Importer) Name() string { return provider }

// Version is that of this importer.
func (Importer) Version() string { return version }

// RestoreFile is the name of the list in the export.
func (Importer) RestoreFile() string { return "conversations.json" }

// The roles of members and of their units.
const (
	roleConversations = "conversations"
	roleUser          = "user"
)

// Decode turns a unit into an item.
func (Importer) Decode(u importer.Unit) ([]importer.Item, error) {
	if u.Role == roleUser {
		r, err := decodeUser(u)
		if err != nil {
			return nil, err
		}
		return []importer.Item{{Record: r}}, nil
	}
	snap, err := decodeConversation(u)
	if err != nil {
		return nil, err
	}
	return []importer.Item{{Conversation: snap}}, nil
}

// Restore gives the element of the list of conversations.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	s := schemas[doc.Provider.ExportFormatVersion]
	if s == nil {
		return dst, fmt.Errorf("restore conversation %s: %q is no format version of %s", doc.ID, doc.Provider.ExportFormatVersion, version)
	}
	return s.Restore(dst, doc)
}
