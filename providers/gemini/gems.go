package gemini

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// gem is one entry of a page of Gems or scheduled actions: its fields, in bold with a colon, and
// their values.
type gem struct {
	start, end int
	fields     []gemField
}

type gemField struct{ label, value string }

// gems gives a unit for each entry of a page. An empty page is nothing.
func (s *splitter) gems(member int) bool {
	u := s.unit(member)
	limited := u
	limited.Limits.MaxConversation = s.limits.MaxSidecar
	data, err := cut.ReadAll(s.ctx, limited)
	var bad *importer.UnitError
	switch {
	case s.ctx.Err() != nil:
		return s.yield(importer.Unit{}, s.ctx.Err())
	case errors.As(err, &bad):
		bad.Reason = strings.ReplaceAll(bad.Reason, "limits.max_conversation", "limits.max_sidecar")
		u.Err = bad
		return s.yield(u, nil)
	case err != nil:
		u.Err = &importer.UnitError{Member: u.Member.Name, Code: cut.CodeUnread, Reason: "the file cannot be read: " + err.Error()}
		return s.yield(u, nil)
	}
	data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	all := readGems(string(data))
	if len(all) == 0 && hasText(data) {
		u.Err = &importer.UnitError{
			Member: u.Member.Name, Size: int64(len(data)), Code: "not_gems",
			Reason: "the page has text but no fields in bold letters: it is of a form that is not known",
		}
		return s.yield(u, nil)
	}
	for i, g := range all {
		u.Role, u.Index, u.Offset = roleGem, i, int64(g.start)
		u.Raw = []byte(`{"fields":[`)
		for k, f := range g.fields {
			if k > 0 {
				u.Raw = append(u.Raw, ',')
			}
			u.Raw = pamio.AppendString(append(u.Raw, `{"label":`...), f.label)
			u.Raw = append(pamio.AppendString(append(u.Raw, `,"value":`...), f.value), '}')
		}
		u.Raw = append(pamio.AppendString(append(u.Raw, `],"html":`...), string(data[g.start:g.end])), '}')
		if !s.yield(u, nil) {
			return false
		}
	}
	return true
}

func hasText(page []byte) bool {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.TextToken:
			if len(bytes.TrimSpace(z.Text())) > 0 {
				return true
			}
		}
	}
}

// readGems reads a page. An entry starts with the label that the first one starts with.
func readGems(page string) []gem {
	z := html.NewTokenizer(strings.NewReader(page))
	var out []gem
	var label, value strings.Builder
	at, boldAt, bold := 0, 0, false
	end := func() {
		if len(out) > 0 {
			last := &out[len(out)-1].fields
			(*last)[len(*last)-1].value = strings.Trim(value.String(), " \t\r\n")
		}
		value.Reset()
	}
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			break
		}
		start := at
		at += len(z.Raw())
		switch tt {
		case html.TextToken:
			if bold {
				label.WriteString(string(z.Text()))
			} else {
				value.WriteString(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch atom.Lookup(name) {
			case atom.B, atom.Strong:
				bold, boldAt = tt == html.StartTagToken, start
				label.Reset()
			case atom.Br, atom.P, atom.Div, atom.Li:
				value.WriteByte('\n')
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if a := atom.Lookup(name); !bold || a != atom.B && a != atom.Strong {
				continue
			}
			bold = false
			text := strings.TrimSpace(label.String())
			field, isLabel := strings.CutSuffix(text, ":")
			if !isLabel || len(field) > maxLabel {
				value.WriteString(label.String())
				continue
			}
			end()
			if len(out) == 0 || field == out[0].fields[0].label {
				if len(out) > 0 {
					out[len(out)-1].end = boldAt
				}
				out = append(out, gem{start: boldAt, end: len(page)})
			}
			last := &out[len(out)-1]
			last.fields = append(last.fields, gemField{label: field})
		}
	}
	end()
	return out
}

// maxLabel is how long the name of a field may be, in bytes.
const maxLabel = 64

// instructionLabels are what the instructions of a Gem are called.
var instructionLabels = []string{"Instructions", "Anleitung", "Anweisungen", "Instrucciones", "Instruções", "Istruzioni", "Instructies", "Instruktioner", "手順", "カスタム指示"}

// decodeGem makes a record of an entry: an assistant that the person made, or a setting.
func decodeGem(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	r := &importer.Record{Kind: importer.RecordSetting, Provider: name, Pointer: "/" + strconv.Itoa(u.Index), Raw: src.Root.AppendCompact(nil)}
	var rest []string
	i := 0
	for f := range src.Root.Get("fields").Items() {
		label, value := f.Get("label").Str(), f.Get("value").Str()
		for _, l := range instructionLabels {
			if strings.EqualFold(l, label) {
				r.Kind, r.Text = importer.RecordAssistant, value
			}
		}
		if i == 0 {
			r.Title = value
		} else if value != "" {
			rest = append(rest, label+": "+value)
		}
		i++
	}
	if i == 0 {
		return nil, lossless.Fail(u, "not_gems", "the entry has no fields")
	}
	if r.Kind == importer.RecordSetting {
		r.Text = strings.Join(rest, "\n")
	}
	return []importer.Item{{Record: r}}, nil
}
