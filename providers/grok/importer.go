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
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

const (
	provider = "grok"
	version  = "grok-importer/2026.11"
)

// New gives the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: "prod-grok-backend.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, Counted: counted, DecodeElement: decodeElement, RestoreElement: schemas.RestoreKnown(version),
	}
}

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

// counted are the accounts of members that are never read, and of an export of nothing.
var counted = map[string]importer.Skip{
	roleAuth:    {Code: "account-sessions", Reason: "sign-ins of the account with addresses and places; they are never copied", Count: 1},
	roleBilling: {Code: "billing", Reason: "balances of the account; they are never copied", Count: 1},
	roleEmpty:   {Code: "empty-export", Reason: "an export of Grok in which every list is empty", Count: 1},
}

// decodeElement turns a unit into items.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	switch u.Role {
	case roleProject, roleTask, rolePost, roleGeneration, roleRest:
		return decodeRecord(u, src)
	}
	return decodeConversation(u, src)
}
