// Package grok reads the export of xAI's Grok: one JSON object with the lists of conversations,
// projects, tasks and media posts, the files of the conversations beside it, and files about the
// account, which are not read.
//
// The export has had three generations of names. They are told apart by the first response of a
// conversation, because an archive may mix them:
//
//	2025-06  response_id, conversation.conversation_id, times as text
//	2026     _id, conversation.id, times as {"$date":{"$numberLong":"…"}}, model in each response
//	minimal  as 2026, with eight keys in a response: no parents, no thinking
//
// Responses may also stand without the object "response" around each ("flat"), as other programs
// write them, and the root may be a list of conversations or one alone. Which keys a conversation's
// responses have decides its schema; its name is provider.export_format_version of the document.
package grok

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

const (
	provider = "grok"
	version  = "grok-importer/2026.11"
)

// Importer reads Grok exports. It holds nothing.
type Importer struct{}

// New gives the importer.
func New() importer.Importer { return Importer{} }

// Name is the provider's identifier.
func (Importer) Name() string { return provider }

// Version is that of this importer.
func (Importer) Version() string { return version }

// RestoreFile is the name of the list in the export.
func (Importer) RestoreFile() string { return "prod-grok-backend.json" }

// The roles of members and of their units.
const (
	roleConversations = "conversations"
	roleProject       = "project"
	roleTask          = "task"
	rolePost          = "media_post"
	roleGeneration    = "media_generation"
	roleRest          = "rest"    // the root object without its lists
	roleEmpty         = "empty"   // an export without anything in it
	roleAuth          = "auth"    // sessions, addresses, places: never read
	roleBilling       = "billing" // never read
)

// lists are the lists of the root object and the role of their elements, which is one of its own
// for each.
var lists = map[string]string{
	"conversations":     roleConversations,
	"projects":          roleProject,
	"tasks":             roleTask,
	"media_posts":       rolePost,
	"media_generations": roleGeneration,
}

// Decode turns a unit into items.
func (Importer) Decode(u importer.Unit) ([]importer.Item, error) {
	switch u.Role {
	case roleProject, roleTask, rolePost, roleGeneration, roleRest:
		return decodeRecord(u)
	case roleEmpty, roleAuth, roleBilling:
		return []importer.Item{{Skip: skipped(u.Role)}}, nil
	}
	snap, err := decodeConversation(u)
	if err != nil {
		return nil, err
	}
	return []importer.Item{{Conversation: snap}}, nil
}

func skipped(role string) *importer.Skip {
	switch role {
	case roleAuth:
		return &importer.Skip{Code: "account-sessions", Reason: "sign-ins of the account with addresses and places; they are never copied", Count: 1}
	case roleBilling:
		return &importer.Skip{Code: "billing", Reason: "balances of the account; they are never copied", Count: 1}
	}
	return &importer.Skip{Code: "empty-export", Reason: "an export of Grok in which every list is empty", Count: 1}
}

// Restore gives the element of the list of conversations.
func (Importer) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	s := schemas[doc.Provider.ExportFormatVersion]
	if s == nil {
		return dst, fmt.Errorf("restore conversation %s: %q is no format version of %s", doc.ID, doc.Provider.ExportFormatVersion, version)
	}
	return s.Restore(dst, doc)
}
