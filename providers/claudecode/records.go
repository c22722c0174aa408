package claudecode

import (
	"path"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/claudememory"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// memoryFile makes a record of a Markdown file of memories. Lines of an index that point to the
// other files are no facts.
func memoryFile(u importer.Unit) []importer.Item {
	items := localapp.RecordText(u, importer.RecordMemory)
	for _, item := range items {
		if item.Record == nil || path.Base(u.Member.Name) != claudememory.IndexFile {
			continue
		}
		text, pointers := claudememory.WithoutPointers(item.Record.Text)
		if pointers > 0 {
			item.Record.Text = text
			items = append(items, importer.Skipped("pointer", "lines that point to a file, which is read itself", pointers)...)
		}
	}
	return items
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
