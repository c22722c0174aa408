// Package memorylist reads Markdown lists of memories that say what they are: entries of the form
// "[2026-01-02] - …", in which assistants exchange memories, or a list below a heading that names
// memories. Any other text is read only if somebody names the importer of saved answers
// (package manual), which reads these files, too.
package memorylist

import (
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/manual"
)

const (
	provider = "memory-text"
	version  = "memory-text-importer/2026.11"
	roleList = "list"
)

// New gives the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: "memories.md",
		ClaimMembers: claim, SplitMember: cut.File, DecodeUnit: manual.New().Decode,
		RestoreElement: cut.WithoutInverse("lists of memories hold no conversations"),
	}
}

var (
	dated   = regexp.MustCompile(`^\s*(?:[-*+]\s+)?\[\d{4}-\d{2}-\d{2}\]\s+[-–—]\s+\S`)
	bullet  = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S`)
	heading = regexp.MustCompile(`(?i)^#{1,3}\s+(?:my |saved |stored |all |personal |user )*(?:memories|memory|facts about (?:me|the user)|about me|what .{1,30} (?:remembers|knows) about me|user profile)\s*:?\s*$`)
)

// IsList tells whether a text is a list of memories.
func IsList(text string) bool {
	dates, bullets, others, named := 0, 0, 0, false
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		switch t := strings.TrimSpace(line); {
		case t == "" || t == "```":
		case dated.MatchString(line):
			dates++
		case bullet.MatchString(line):
			bullets++
		case heading.MatchString(t):
			named = named || bullets+others == 0
		case strings.HasPrefix(t, "#"):
		default:
			others++
		}
	}
	return dates >= 2 && dates*2 > bullets+others || named && bullets >= 2 && bullets > 2*others
}

func claim(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	for _, m := range members {
		switch strings.ToLower(path.Ext(m.Name)) {
		case ".md", ".markdown", ".txt":
		default:
			continue
		}
		prefix, err := peek.Prefix(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil || !manual.Reads(prefix, m.Size) || !IsList(string(importer.HeadUTF8(prefix))) {
			continue
		}
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleList})
	}
	return c, nil
}
