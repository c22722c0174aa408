package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Page is a reading as it is written: as plain text or as Markdown, with thoughts, tools and system
// messages on one line each, or in full.
type Page struct {
	*Reading
	Markdown bool `json:"-"`
	Unfold   bool `json:"-"`
}

// WriteText writes the page.
func (p *Page) WriteText(w io.Writer) error {
	var b strings.Builder
	p.head(&b)
	if p.Before > 0 {
		fmt.Fprintf(&b, "\n… %d earlier\n", p.Before)
	}
	shown := 0
	for i := range p.Messages {
		m := &p.Messages[i]
		if m.isEmpty() {
			continue
		}
		shown++
		b.WriteByte('\n')
		p.message(&b, m)
		if b.Len() > 1<<20 {
			if _, err := io.WriteString(w, b.String()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	if shown == 0 {
		b.WriteString("\nThis conversation has no messages.\n")
	}
	if p.After > 0 {
		fmt.Fprintf(&b, "\n… %d later\n", p.After)
	}
	p.foot(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Page) head(b *strings.Builder) {
	if p.Markdown {
		fmt.Fprintf(b, "# %s\n\n", title(p.Title))
	} else {
		fmt.Fprintf(b, "%s\n", title(p.Title))
	}
	fmt.Fprintf(b, "%s, %s", line(p.Provider, width), day(p.Created))
	if p.Updated != "" && day(p.Updated) != day(p.Created) {
		fmt.Fprintf(b, " to %s", day(p.Updated))
	}
	fmt.Fprintf(b, ", conversation %s", line(p.ID, width))
	if p.Branches > 1 {
		fmt.Fprintf(b, ", branch %d of %d", p.Branch, p.Branches)
	}
	b.WriteByte('\n')
}

// foot says how to see what is not shown.
func (p *Page) foot(b *strings.Builder) {
	if p.Markdown {
		return
	}
	var hints []string
	if p.Before+p.After > 0 {
		hints = append(hints, fmt.Sprintf("the whole branch: pamline show %.8s --branch %d", line(p.ID, width), p.Branch))
	}
	if p.Branches > 1 {
		hints = append(hints, fmt.Sprintf("another branch: --branch N, 1 to %d", p.Branches))
	}
	if !p.Unfold && p.isFolded() {
		hints = append(hints, "folded lines in full: --unfold")
	}
	if len(hints) > 0 {
		fmt.Fprintf(b, "\n(%s)\n", strings.Join(hints, "; "))
	}
}

func (p *Page) isFolded() bool {
	for i := range p.Messages {
		if m := &p.Messages[i]; !m.isEmpty() && (m.folds() || len(m.Tools) > 0) {
			return true
		}
	}
	return false
}

// folds tells whether a message is one line unless it is unfolded: nobody said it to anybody.
func (s *Spoken) folds() bool { return s.Thought || s.Role == "system" || s.Role == "tool" }

// message writes one message. The mark › is at the one that was asked for.
func (p *Page) message(b *strings.Builder, m *Spoken) {
	who := line(m.Role, width)
	if m.Thought {
		who += ", thought"
	}
	if m.Model != "" && p.Unfold {
		who += ", " + line(m.Model, width)
	}
	when := minute(m.Created)
	branch := ""
	if m.Alternatives > 1 {
		branch = fmt.Sprintf("  ‹%d/%d›", m.Alternative, m.Alternatives)
	}
	switch mark := map[bool]string{true: "› "}[m.ID == p.Wanted && p.Wanted != ""]; {
	case m.folds() && !p.Unfold:
		fmt.Fprintf(b, "%s[%s%s: %s]%s\n", mark, who, withPrefix(", ", when), m.gist(), branch)
		return
	case p.Markdown:
		fmt.Fprintf(b, "## %s%s%s%s\n\n", mark, who, withPrefix(", ", when), branch)
	default:
		fmt.Fprintf(b, "%s── %s%s%s\n", mark, who, withPrefix("  ", when), branch)
	}
	for i := range m.Pieces {
		p.piece(b, &m.Pieces[i])
	}
	for i := range m.Tools {
		p.tool(b, &m.Tools[i])
	}
	for i := range m.Files {
		p.piece(b, &m.Files[i])
	}
	for i, c := range m.Citations {
		if name := line(cmp.Or(c.Title, c.URL), width); p.Unfold && name != "" {
			fmt.Fprintf(b, "[source %d: %s%s]\n", i+1, name, withPrefix(", ", line(c.URL, 2*width)))
		}
	}
}

// gist is a folded message in a few words.
func (s *Spoken) gist() string {
	const gistWidth = 60
	for _, p := range s.Pieces {
		if text := line(p.Text, gistWidth); text != "" {
			if n := s.size(); n > gistWidth {
				return fmt.Sprintf("%s (%d characters)", text, n)
			}
			return text
		}
	}
	if len(s.Tools) > 0 {
		return "calls " + line(s.Tools[0].Name, gistWidth)
	}
	return "files"
}

// piece writes a text, or the name of a file.
func (p *Page) piece(b *strings.Builder, x *Piece) {
	text := block(x.Text)
	switch {
	case x.isFile():
		name := cmp.Or(line(x.Name, width), line(x.MimeType, width), "no name")
		if ref := line(x.Ref, 2*width); p.Markdown && ref != "" {
			fmt.Fprintf(b, "%s[%s](<%s>)\n", map[bool]string{true: "!"}[x.Type == "image"], name, ref)
		} else {
			fmt.Fprintf(b, "[%s: %s%s]\n", line(x.Type, width), name, withPrefix(", ", ref))
		}
		if text != "" {
			b.WriteString(text + "\n")
		}
	case text == "":
	case x.Type == "code" && p.Markdown:
		fence := fenceOf(text)
		fmt.Fprintf(b, "%s%s\n%s\n%s\n", fence, line(x.Language, 20), text, fence)
	default:
		b.WriteString(text + "\n")
	}
}

// fenceOf is a fence of a block of code that is longer than any in it.
func fenceOf(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// tool writes a call of a tool: one line, or what went in and what came out.
func (p *Page) tool(b *strings.Builder, t *Tool) {
	input := t.inputText()
	if !p.Unfold {
		output := ""
		if t.Output != nil {
			output = fmt.Sprintf(", answer of %d characters", utf8.RuneCountInString(*t.Output))
		}
		fmt.Fprintf(b, "[tool %s: %s%s]\n", line(t.Name, width), line(input, 60), output)
		return
	}
	fmt.Fprintf(b, "[tool %s]\n%s\n", line(t.Name, width), block(input))
	if t.Output != nil {
		fmt.Fprintf(b, "[answer of %s]\n%s\n", line(t.Name, width), block(*t.Output))
	}
}

// inputText is what the tool was asked: a text as it is, anything else as JSON.
func (t *Tool) inputText() string {
	var text string
	if json.Unmarshal(t.Input, &text) == nil {
		return text
	}
	return string(t.Input)
}

// withPrefix puts something before a text that is not empty.
func withPrefix(what, text string) string {
	if text == "" {
		return ""
	}
	return what + text
}

// minute is a time without seconds; "" when it is not known.
func minute(at string) string {
	if len(at) < len("2006-01-02T15:04") {
		return ""
	}
	return line(at[:10]+" "+at[11:16], width)
}
