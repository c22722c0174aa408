package claudecode

import (
	"path"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// text makes a record of a Markdown file. Its source is the text as a JSON string.
func text(u importer.Unit) []importer.Item {
	kind := importer.RecordMemory
	if u.Role == roleInstruction {
		kind = importer.RecordInstruction
	}
	said := strings.ToValidUTF8(string(u.Raw), "\uFFFD")
	if said == "" {
		return []importer.Item{{Skip: &importer.Skip{Code: "empty-file", Reason: "the file is empty", Count: 1}}}
	}
	return []importer.Item{{Record: &importer.Record{
		Kind: kind, Provider: provider, Title: path.Base(u.Member.Name), Text: said, Raw: pamio.AppendString(nil, said),
	}}}
}

// meta makes a record of the file that says what a subagent is.
func meta(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	title := src.Root.Get("description").Str()
	if title == "" {
		title = src.Root.Get("agentType").Str()
	}
	return []importer.Item{{Record: &importer.Record{
		Kind: importer.RecordSetting, Provider: provider, ID: strings.TrimSuffix(path.Base(u.Member.Name), ".meta.json"),
		Title: title, Raw: src.Root.AppendCompact(nil),
	}}}, nil
}

// withoutMessages makes a record of a log in which nobody says anything: titles of other sessions,
// snapshots of files.
func withoutMessages(source, lines jsonscan.Node) []importer.Item {
	r := &importer.Record{Kind: importer.RecordSetting, Provider: provider, Raw: source.AppendCompact(nil)}
	for line := range lines.Items() {
		if s := line.Get("sessionId"); s.Kind() == jsonscan.String {
			r.ID = s.Str()
		}
		if t, ok := lossless.ReadTime(line.Get("timestamp")); ok && t != normalize.Epoch {
			if r.CreatedAt == "" {
				r.CreatedAt = t.String()
			}
			r.UpdatedAt = t.String()
		}
	}
	if name, _ := title(lines, nil); name != nil {
		r.Title = *name
	}
	return []importer.Item{{Record: r}}
}
