package localapp

import (
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// RoleCounted is the role of members that are read and not kept.
const RoleCounted = "counted"

// SplitLogs gives the split of a program that keeps a log for each session: a unit for each member
// with the role of logs, with all its lines, one for each line of it that is broken, and one for
// each other file. The context of the claim has the accounts of what is counted, by member.
func SplitLogs(logs string) cut.Splitter {
	return func(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
		accounts, _ := u.Context.(map[int]importer.Skip)
		u.Context = nil
		switch u.Role {
		case logs:
			return cut.Lines(ctx, u, yield)
		case RoleCounted:
			return cut.Counted(ctx, u, accounts[u.Member.Index], yield)
		}
		return cut.Text(ctx, u, yield)
	}
}

// RecordText makes a record of a kind of a Markdown file. Its source is the text as a JSON string.
func RecordText(u importer.Unit, kind string) []importer.Item {
	said := strings.ToValidUTF8(string(u.Raw), "\uFFFD")
	if said == "" {
		return importer.Skipped("empty-file", "the file is empty", 1)
	}
	return []importer.Item{{Record: &importer.Record{
		Kind: kind, Provider: Provider, Title: path.Base(u.Member.Name), Text: said, Raw: pamio.AppendString(nil, said),
	}}}
}
