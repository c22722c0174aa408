package manual

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// Decode turns a file into records, in the order of the file.
func (i Importer) Decode(u importer.Unit) ([]importer.Item, error) {
	text := strings.TrimPrefix(string(u.Raw), "\ufeff")
	if !utf8.ValidString(text) {
		return nil, lossless.Fail(u, "encoding", "the file is neither UTF-8 nor UTF-16 at byte %d; save it as UTF-8 and drop it again", firstInvalid(text))
	}
	lines := cutLines(text)
	d := &decoder{provider: cmp.Or(i.source, provider)}
	r := &reader{}
	if n := frontMatterEnd(lines); n > 0 {
		d.add(block{kind: frontMatter, lines: lines[:n]})
		lines = lines[n:]
	}
	r.read(lines)
	d.blocks(r.out)
	if len(d.items) == 0 && d.empty == 0 {
		d.skip("empty", "the file has no text in it", 1)
	}
	if d.empty > 0 {
		d.skip("empty-entry", "headings without anything below them and items without text", d.empty)
	}
	return d.items, nil
}

func firstInvalid(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return len(s)
}

// maxFrontMatter is how far the end of a front matter is searched, in lines.
const maxFrontMatter = 200

// frontMatterEnd is the number of lines of the front matter that a file begins with, 0 for none.
func frontMatterEnd(lines []line) int {
	if strings.TrimRight(lines[0].text, " \t") != "---" {
		return 0
	}
	keys := false
	for i, l := range lines[1:min(len(lines), maxFrontMatter)] {
		switch t := strings.TrimRight(l.text, " \t"); {
		case t == "---" || t == "...":
			if !keys {
				return 0
			}
			return i + 2
		case t == "":
			return 0
		default:
			key, _, ok := strings.Cut(t, ":")
			keys = keys || ok && !strings.ContainsAny(key, " #-*")
		}
	}
	return 0
}

// decoder makes records of blocks.
type decoder struct {
	provider string
	items    []importer.Item
	open     []block // headings above, outermost first
	used     []bool  // by open heading: something stands below it
	empty    int
	remarks  bool // the answer stood in a block of code: what is outside of it is talk
}

// levelLead is the level of words with a colon above a list, which for a list in a list count on
// with its indent.
const levelLead = 8

// maxHeadings bounds the headings that a statement stands below, and so what is kept of them with
// each statement.
const maxHeadings = 16

func (d *decoder) blocks(all []block) {
	for _, b := range all {
		d.remarks = d.remarks || b.opened
	}
	for i, b := range all {
		if b.kind == heading {
			d.enter(b)
			continue
		}
		if b.kind == item {
			d.leave(levelLead + 1 + b.indent)
		} else {
			d.leave(levelLead)
		}
		if i+1 < len(all) && len(d.open) < maxHeadings && leads(b, all[i+1]) {
			b.level = levelLead
			if b.kind == item {
				b.level += 1 + b.indent
			}
			b.text = []string{headingText(b.said())}
			d.enter(b)
			continue
		}
		d.add(b)
	}
	d.leave(0)
}

// leads tells whether a block is no more than the words before the list that begins with next.
func leads(b, next block) bool {
	if len(b.text) > 1 || next.kind != item || b.date != "" {
		return false
	}
	if text := strings.TrimRight(b.text[0], " *_\t"); !strings.HasSuffix(text, ":") {
		return false
	}
	return b.kind == paragraph || next.indent > b.indent
}

// enter opens a heading.
func (d *decoder) enter(b block) {
	d.leave(b.level)
	if b.said() == "" {
		d.empty++
		return
	}
	d.open, d.used = append(d.open, b), append(d.used, false)
}

// leave closes the headings from a level on.
func (d *decoder) leave(level int) {
	for n := len(d.open); n > 0 && d.open[n-1].level >= level; n-- {
		if !d.used[n-1] {
			d.empty++
		}
		d.open, d.used = d.open[:n-1], d.used[:n-1]
	}
}

// add makes the record of a block.
func (d *decoder) add(b block) {
	if b.kind != frontMatter && strings.TrimSpace(b.said()) == "" {
		d.empty++
		return
	}
	remark := d.remarks && !b.opened && b.kind != frontMatter
	var headings []string
	for i, h := range d.open {
		if remark {
			break // the headings are those of the answer
		}
		headings = append(headings, h.said())
		d.used[i] = true
	}
	r := &importer.Record{
		Kind: kindOf(headings), Provider: d.provider, Pointer: "line/" + strconv.Itoa(b.lines[0].n), Text: b.said(), CreatedAt: b.date, Raw: source(b, headings),
	}
	if len(headings) > 0 {
		r.Title = headings[len(headings)-1]
	}
	switch {
	case b.kind == frontMatter:
		r.Kind, r.Title, r.Text = importer.RecordSetting, "front matter", ""
	case remark:
		r.Kind, r.Text = importer.RecordSetting, ""
	case r.Kind == importer.RecordProject:
		r.Title = "" // the heading is no name of a project
	}
	d.items = append(d.items, importer.Item{Record: r})
}

// source is the block as it stands in the file: its first line, its lines, and the headings above.
func source(b block, headings []string) pamio.RawJSON {
	var text strings.Builder
	for i, l := range b.lines {
		if i > 0 {
			text.WriteByte('\n')
			if l.n != b.lines[i-1].n+1 {
				text.WriteByte('\n') // empty lines between
			}
		}
		text.WriteString(l.text)
	}
	out := strconv.AppendInt([]byte(`{"line":`), int64(b.lines[0].n), 10)
	out = append(pamio.AppendString(append(out, `,"source":`...), text.String()), `,"headings":[`...)
	for i, h := range headings {
		if i > 0 {
			out = append(out, ',')
		}
		out = pamio.AppendString(out, h)
	}
	return append(out, "]}"...)
}

func (d *decoder) skip(code, reason string, n int) {
	d.items = append(d.items, importer.Item{Skip: &importer.Skip{Code: code, Reason: reason, Count: n}})
}
