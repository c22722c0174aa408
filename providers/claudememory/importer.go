// Package claudememory reads the memory folder of Claude: MEMORY.md, an index, and topic files with
// a front matter beside it.
//
//	MEMORY.md       lines that point to topic files, "- [Title](file.md) — why"; other lines are memories
//	<topic>.md      ---, name, description and type (user, feedback, project, reference), ---, the text
//
// A folder is recognized by a MEMORY.md with a line that points to a file, or with a topic file
// beside it. Lines that point somewhere are no facts: they are counted, and stay in the source.
// Beside sessions of Claude Code such a folder is read by the importer of Claude Code.
package claudememory

import (
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	provider = "claude-memory"
	version  = "claude-memory-importer/2026.11"

	// IndexFile is the name of the index.
	IndexFile = "MEMORY.md"

	roleIndex = "index"
	roleTopic = "topic"
)

// New gives the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: IndexFile,
		ClaimMembers: claim, SplitMember: cut.Text, DecodeUnit: decode,
		RestoreElement: cut.WithoutInverse("memory files hold no conversations"),
	}
}

// pointerLine is a line that does no more than point to a file.
var pointerLine = regexp.MustCompile(`^\s*(?:[-*+]\s+)?\[[^\]]*\]\([^)\s]+\.md[^)]*\)`)

// WithoutPointers is a text of an index without the lines that point to files, and their number.
func WithoutPointers(text string) (rest string, pointers int) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if pointerLine.MatchString(line) {
			pointers++
			continue
		}
		b.WriteString(line)
	}
	return b.String(), pointers
}

func claim(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	heads := map[int]string{}
	for _, m := range members {
		if strings.ToLower(path.Ext(m.Name)) != ".md" {
			continue
		}
		prefix, err := peek.Prefix(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err == nil && importer.IsText(prefix, m.Size >= 0 && int64(len(prefix)) >= m.Size) {
			heads[m.Index] = string(importer.HeadUTF8(prefix))
		}
	}
	for _, index := range members {
		head, ok := heads[index.Index]
		if !ok || path.Base(index.Name) != IndexFile {
			continue
		}
		_, pointers := WithoutPointers(head)
		var topics []importer.ClaimedMember
		for _, m := range members {
			text, ok := heads[m.Index]
			if !ok || m.Index == index.Index || m.Part != index.Part || path.Dir(m.Name) != path.Dir(index.Name) && path.Dir(path.Dir(m.Name)) != path.Dir(index.Name) {
				continue
			}
			if _, _, has := frontMatter(text); has || strings.Contains(head, "("+path.Base(m.Name)) || strings.Contains(head, "/"+path.Base(m.Name)+")") {
				topics = append(topics, importer.ClaimedMember{Member: m, Role: roleTopic})
			}
		}
		if pointers > 0 || len(topics) > 0 {
			c.Members = append(append(c.Members, importer.ClaimedMember{Member: index, Role: roleIndex}), topics...)
		}
	}
	return c, nil
}

// frontMatter divides a topic file into its keys and its text.
func frontMatter(text string) (keys map[string]string, body string, ok bool) {
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return nil, text, false
	}
	keys = map[string]string{}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, " \t") == "---" {
			return keys, strings.Join(lines[i+2:], "\n"), keys["name"] != "" || keys["description"] != "" || keys["type"] != ""
		}
		if k, v, found := strings.Cut(line, ":"); found {
			keys[strings.TrimSpace(k)] = strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	return nil, text, false
}

// kinds are the types of topic files.
var kinds = map[string]string{"user": importer.RecordProfile, "feedback": importer.RecordInstruction, "project": importer.RecordProject}

func decode(u importer.Unit) ([]importer.Item, error) {
	said := strings.ToValidUTF8(string(u.Raw), "\uFFFD")
	r := &importer.Record{Kind: importer.RecordMemory, Provider: provider, ID: path.Base(u.Member.Name), Raw: pamio.AppendString(nil, said)}
	if u.Role == roleIndex {
		text, pointers := WithoutPointers(said)
		var items []importer.Item
		if pointers > 0 {
			items = importer.Skipped("pointer", "lines of "+IndexFile+" that point to a file, which is read itself", pointers)
		}
		if r.Text = strings.TrimSpace(text); onlyHeadings(r.Text) {
			r.Kind, r.Text = importer.RecordSetting, ""
		}
		return append(items, importer.Item{Record: r}), nil
	}
	keys, body, _ := frontMatter(said)
	r.Title, r.Text = keys["name"], strings.TrimSpace(body)
	if k := kinds[keys["type"]]; k != "" {
		r.Kind = k
	}
	if r.Kind == importer.RecordProject {
		r.Text = strings.TrimSpace(keys["description"] + "\n" + r.Text)
	}
	return []importer.Item{{Record: r}}, nil
}

// onlyHeadings tells whether a text states nothing.
func onlyHeadings(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
