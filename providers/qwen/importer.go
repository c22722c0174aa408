// Package qwen reads exports of Qwen Chat (chat.qwen.ai). Its chats have the skeleton of Open
// WebUI, see package chat, but an answer stands in pieces, each of a phase, and content is empty:
//
//	{"id":"…","role":"assistant","content":"","content_list":[
//	   {"phase":"think","content":"…","status":"finished"},{"phase":"answer","content":"…"}],…}
//
// A file is a list of rows, a row, a single chat without a row, or an answer of the server,
// {"success":true,"data":[…]}. The forms have the names that package openwebui gives them. A file
// is known as Qwen's by keys that only its messages or rows have: content_list, sub_chat_type,
// feature_config, reasoning_content, turn_id, currentResponseIds.
package qwen

import (
	"context"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/openwebui/chat"
)

const version = "qwen-importer/2026.11"

// New makes an importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: "chat-export.json",
		Counted:      map[string]importer.Skip{roleRest: {Code: "answer_status", Reason: "what stands around the list of chats: the status of a server's answer", Count: 1}},
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: dialect.Restore,
	}
}

// Roles of members and units.
const (
	roleExport = "export"
	roleRest   = "rest" // what stands around a list of chats in an object
)

// claimed has the key of the list in an object, by index of the member.
type claimed map[int]string

// claimMembers takes exports by the shape of their elements.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	found := claimed{}
	err := localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		if err != nil {
			return // who can read it reports it
		}
		switch {
		case chat.Holds(s) && chat.IsQwen(s):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleExport})
			found[m.Index] = s.Wrapper
		case isListing(s):
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "a list of the chats of Qwen without their messages; export the chats themselves in Qwen Chat (Settings, Chats, Export) and drop that file"})
		}
	})
	c.Context = found
	return c, err
}

// isListing tells whether a file is an answer of the server that names chats and does not hold
// them.
func isListing(s importer.Shape) bool {
	return s.Has("success") && s.Has("data[].title") && s.Has("data[].id") && (s.Has("data[].chat_type") || s.Has("data[].updated_at")) &&
		!s.Has("data[].chat") && !s.Has("data[].history") && !s.Has("data[].messages")
}

// splitMember gives a unit for each chat.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	found, _ := u.Context.(claimed)
	o := cut.Options{Recognize: chat.Recognize, Rest: roleRest}
	if key := found[u.Member.Index]; key == "data" || key == "chats" {
		o.Wrappers = []string{key}
	}
	return cut.Elements(ctx, u, o, yield)
}

// decodeUnit makes the document of one chat.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	return dialect.Decode(u, nil)
}
