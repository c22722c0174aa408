package copilot

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// The roles of units.
const (
	roleConversations = "conversations"
	roleEmpty         = "empty" // a table without rows; Raw is its first line
)

// ownName is how Copilot calls its files, with what a browser adds to a second download.
var ownName = regexp.MustCompile(`(?i)^(copilot-activity-history|copilot-chat-activity|copilot-in-microsoft-365-apps-activity|windows-apps-copilot-activity-history)[^/]*\.csv$`)

// audit are columns of a log that administrators get, by names that only it has.
var audit = []string{"auditdata", "operation"}

// claimMembers takes the tables whose columns are Copilot's, whatever they are called.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	for _, m := range members {
		own := ownName.MatchString(path.Base(m.Name))
		s, err := peek.Shape(ctx, m)
		var prefix []byte
		if err == nil && s.Other() {
			prefix, err = peek.Prefix(ctx, m)
		}
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil {
			if own {
				c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleConversations}) // Split says what is wrong with it
			}
			continue
		}
		header, ok := headerOf(prefix)
		if !ok {
			continue
		}
		_, known := readHeader(header, own)
		switch {
		case known:
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleConversations})
		case isAudit(header):
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "an audit log of Microsoft Purview, not the export of a person's Copilot chats: ask for that on the privacy dashboard"})
		case own:
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "it has the name of a Copilot export, but none of its columns is one of a time and of a message"})
		}
	}
	return c, nil
}

// headerOf gives the first row of a table that is not empty.
func headerOf(prefix []byte) ([]byte, bool) {
	if len(prefix) == 0 || bytes.IndexByte([]byte("{[<"), prefix[0]) >= 0 {
		return nil, false
	}
	header, err := newRecords(importer.UTF8(bytes.NewReader(prefix)), 0).firstLine()
	return header, err == nil
}

func isAudit(header []byte) bool {
	for i := range len(delims) {
		names := map[string]bool{}
		for cell := range rawCells(header, delims[i]) {
			names[strings.TrimSuffix(columnName(cell), "s")] = true
		}
		if names[audit[0]] && names[audit[1]] {
			return true
		}
	}
	return false
}
