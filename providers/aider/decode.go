package aider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules of names are frozen: a run is named in the space local/aider by the SHA-256 of its
// first line and of what the person typed first, which do not change when the run goes on; a
// message by its place in the run, "block:<n>".

// schema maps the form that a run has for the engine:
//
//	{"head": "# aider chat started at …\n", "blocks": [{"as": "user", "text": "…", "before": "\n", "after": "\n"}]}
var schema = &lossless.Schema{
	Conversation: []lossless.Rule{{Path: "/blocks", Slot: lossless.MessageList}},
	Message: []lossless.Rule{
		{Path: "/as", Slot: lossless.Role, Form: lossless.Roles("user", asUser, "assistant", asAssistant, "tool", asTool)},
		{Path: "/text", Slot: lossless.Text},
	},
}

// decodeUnit makes the document of a run, or the account of a file that is counted.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	run, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	if run.Root.Kind() != jsonscan.String {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the run is not a text")
	}
	if whole, err := jsonscan.Parse(u.Raw, 1); err != nil || whole.Root().Odd() {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the run is not a text in UTF-8")
	}
	head, blocks := readRun(run.Root.Str())
	if !slices.ContainsFunc(blocks, func(b block) bool { return b.as != asTool }) {
		return importer.Skipped("empty-run", "runs of the program in which nobody said anything", 1), nil
	}
	wrapped := u
	wrapped.Raw = wrap(head, blocks)
	wrapped.Limits.MaxConversation = int64(len(wrapped.Raw))
	src, err := lossless.Parse(wrapped)
	if err != nil {
		return nil, err
	}
	b := localapp.New(schema, src, name, format)
	first := ""
	for _, k := range blocks {
		if k.as == asUser {
			first = k.text
			break
		}
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(head) + "\x00" + first))
	b.DerivedID(localapp.Space(name), hex.EncodeToString(sum[:]))
	clock := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(head, "\ufeff"), mark))
	if at, ok := localapp.LocalTime("2006-01-02 15:04:05", clock); ok {
		b.Seen(at)
		b.Fallback, b.FallbackFrom = at, "run"
		localapp.FlagLocalTime(b)
	}
	i := 0
	for node := range src.Root.Get("blocks").Items() {
		m := b.Item("/blocks", i, node).Add("block:"+strconv.Itoa(i), blocks[i].as)
		m.Text(blocks[i].text)
		i++
	}
	items, err := localapp.Finish(b, nil)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		loss := &item.Conversation.Loss
		loss.Mapped, loss.Raw = 1, 0 // the source is one text
	}
	return items, nil
}

// wrap gives a run the form that schema maps.
func wrap(head string, blocks []block) []byte {
	out := []byte("{")
	if head != "" {
		out = append(pamio.AppendString(append(out, `"head":`...), head), ',')
	}
	out = append(out, `"blocks":[`...)
	for i, b := range blocks {
		if i > 0 {
			out = append(out, ',')
		}
		out = pamio.AppendString(append(out, `{"as":`...), b.as)
		out = pamio.AppendString(append(out, `,"text":`...), b.text)
		for _, f := range []struct{ key, value string }{{"before", b.before}, {"after", b.after}, {"eol", b.eol}, {"bare", b.bare}, {"raw", b.raw}} {
			if f.value != "" {
				out = pamio.AppendString(append(out, `,"`+f.key+`":`...), f.value)
			}
		}
		out = append(out, '}')
	}
	return append(out, "]}"...)
}

// restore appends the Markdown of a run as a JSON text.
func restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	element, err := schema.Restore(nil, doc)
	if err != nil {
		return dst, err
	}
	parsed, err := jsonscan.Parse(element, 0)
	if err != nil {
		return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
	}
	var out strings.Builder
	out.WriteString(parsed.Root().Get("head").Str())
	for n := range parsed.Root().Get("blocks").Items() {
		b := block{as: n.Get("as").Str(), text: n.Get("text").Str(), before: n.Get("before").Str(), after: n.Get("after").Str(), eol: n.Get("eol").Str(), bare: n.Get("bare").Str(), raw: n.Get("raw").Str()}
		out.WriteString(b.render())
	}
	return pamio.AppendString(dst, out.String()), nil
}
