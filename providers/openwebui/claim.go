package openwebui

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/openwebui/chat"
	"github.com/pamline/pamline/providers/sqlite"
)

// roleExport is the role of a JSON file; the others are those of package sqlite.
const roleExport = "export"

// claimed is what Claim found, for Split and Decode.
type claimed struct {
	wrapped map[int]string // key of the list in an object, by index of the member
	logs    sqlite.Logs
	files   chat.Files
}

// upload is the name of an uploaded file: its id and the name that it had.
var upload = regexp.MustCompile(`^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})_.`)

// claimMembers takes exports by the shape of their elements, databases by their tables, and with
// them the uploaded files.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	var err error
	found := &claimed{wrapped: map[int]string{}, files: chat.Files{}}
	if c.Members, found.logs, err = sqlite.Claim(ctx, members, peek, limits, isDatabase, isNamed); err != nil {
		return c, err
	}
	taken := map[int]bool{}
	for _, m := range c.Members {
		taken[m.Member.Index] = true
	}
	err = localapp.LookInto(ctx, members, peek, importer.Shape.Other, func(m archive.Member, s importer.Shape, prefix []byte, err error) {
		switch {
		case err != nil || taken[m.Index] || sqlite.Is(prefix):
		case isDump(prefix):
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "a dump of a PostgreSQL database of Open WebUI: export the chats as JSON in Open WebUI (Admin Settings, Database, Export All Chats) and drop that file"})
		case isNamed(m.Name):
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "webui.db is not a readable SQLite database; if it is encrypted (SQLCipher), export the chats as JSON in Open WebUI and drop that file"})
		default:
			if chat.Holds(s) && !chat.IsQwen(s) {
				taken[m.Index] = true
				c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleExport})
				found.wrapped[m.Index] = s.Wrapper
			}
		}
	})
	if err != nil || len(c.Members) == 0 {
		return c, err
	}
	for _, m := range members {
		if id := upload.FindStringSubmatch(path.Base(m.Name)); id != nil && path.Base(path.Dir(m.Name)) == "uploads" && !taken[m.Index] {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: importer.RoleAsset})
			found.files[id[1]] = importer.MemberRef(m)
		}
	}
	c.Context = found
	return c, nil
}

// isNamed tells whether a member bears the name of Open WebUI's database.
func isNamed(name string) bool { return strings.EqualFold(path.Base(name), "webui.db") }

// isDump tells whether a member is what pg_dump makes of Open WebUI's database.
func isDump(prefix []byte) bool {
	head := prefix[:min(len(prefix), 512)]
	if !bytes.HasPrefix(prefix, []byte("PGDMP")) && !bytes.Contains(head, []byte("PostgreSQL database dump")) {
		return false
	}
	return bytes.Contains(prefix, []byte("chatidtag")) || bytes.Contains(prefix, []byte("chat_message")) || bytes.Contains(prefix, []byte("CREATE TABLE public.chat "))
}
