// Package aider reads the chat history that Aider keeps in a repository, .aider.chat.history.md. It
// is one Markdown file with all runs of the program, as aider/io.py of github.com/Aider-AI/aider
// writes it:
//
//	# aider chat started at 2025-05-01 12:00:00    begins a run; the time is that of the person's clock, without a zone
//	#### Why does the kite fall?··                 what the person typed, each line with the mark and two spaces behind it
//	> Tokens: 2.1k sent, 100 received.··           what the program said, with the mark on its first line
//	Its tail is too short.                         anything else is the answer of the model
//
// A run becomes a conversation. Marks without the two spaces are marks only in a run in which no
// mark has them, for an answer may have headings and quotations of its own. Messages have no times.
//
// Restore gives the Markdown of each run as a JSON text: one behind the other they are the file
// again.
//
// .aider.input.history, the list of what was typed, is counted beside a chat history.
package aider

import (
	"context"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

const (
	name    = "aider"
	version = "aider-importer/2026.12"
	format  = "chat-history-md"
)

// Roles of the claimed members.
const (
	roleHistory = "history"
	roleInput   = "input" // counted
)

// inputSkip is the account of .aider.input.history.
var inputSkip = importer.Skip{Code: "prompt-history", Reason: "a list of what was typed, without the answers", Count: 1}

// New returns the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: name, Release: version, File: "aider.chat.history.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: restore,
	}
}

// claimMembers takes every text in whose first bytes a run begins, whatever it is called, and the
// list of what was typed beside it.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	var inputs []archive.Member
	err := localapp.LookInto(ctx, members, peek, importer.Shape.Other, func(m archive.Member, _ importer.Shape, prefix []byte, err error) {
		switch {
		case hasRun(string(importer.HeadUTF8(prefix))), err != nil && strings.HasSuffix("/"+m.Name, "/.aider.chat.history.md"):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleHistory})
		case strings.HasSuffix("/"+m.Name, "/.aider.input.history"):
			inputs = append(inputs, m)
		}
	})
	if err != nil {
		return importer.Claim{}, err
	}
	if len(c.Members) > 0 {
		for _, m := range inputs {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleInput})
		}
	}
	return c, nil
}

// splitMember yields a unit for each run, with its Markdown as a JSON text.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	if u.Role == roleInput {
		return cut.Counted(ctx, u, inputSkip, yield)
	}
	return splitRuns(ctx, u, yield)
}
