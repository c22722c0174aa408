package textgen

import (
	"path"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// greeting stands in the place of the person's words where the character speaks first.
const greeting = "<|BEGIN-VISIBLE-CHAT|>"

// Layouts of times: in metadata, and in the names of files.
const (
	timeLayout = "Jan 02, 2006 15:04"
	nameLayout = "20060102-15-04-05"
)

// pair is one turn of both sides.
type pair struct {
	index            int
	node             jsonscan.Node
	question, answer jsonscan.Node
	said             bool          // the person said something
	user, assistant  jsonscan.Node // their metadata
}

// decodeElement makes the document of one chat.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	format, list := formatInternal, "internal"
	switch {
	case root.Get("internal").Kind() == jsonscan.Array && root.Get("metadata").Kind() == jsonscan.Object:
		format = formatMetadata
	case root.Get("internal").Kind() == jsonscan.Array:
	case root.Get("data").Kind() == jsonscan.Array:
		format, list = formatData, "data"
	default:
		return nil, lossless.Fail(u, "not_a_conversation", "the file has no list of pairs")
	}
	d := &decoder{b: localapp.New(schemas[format], src, program, format), list: "/" + list, tip: -1}
	pairs := d.pairs(root.Get(list), root.Get("metadata"))
	name(d.b, u.Member.Name, pairs)
	if m := fileID.FindStringSubmatch(path.Base(u.Member.Name)); m != nil {
		if t, ok := localapp.LocalTime(nameLayout, m[1]); ok {
			d.b.Fallback, d.b.FallbackFrom = t, "file_name"
			localapp.FlagLocalTime(d.b)
		}
	}
	for _, p := range pairs {
		d.pair(p)
	}
	return localapp.Finish(d.b, &d.tree)
}

type decoder struct {
	b    *lossless.Builder
	list string
	tree localapp.Tree
	tip  int // the message that the next one follows
}

// pairs finds the pairs and what is known about them.
func (d *decoder) pairs(list, metadata jsonscan.Node) []pair {
	var out []pair
	i := -1
	for v := range list.Items() {
		i++
		p := pair{index: i, node: v}
		k := 0
		for text := range v.Items() {
			switch k {
			case 0:
				p.question = text
			case 1:
				p.answer = text
			}
			k++
		}
		if k != 2 || p.question.Kind() != jsonscan.String || p.answer.Kind() != jsonscan.String {
			d.b.Unknown("unknown_pair")
			continue
		}
		p.said = !p.question.Is(greeting) && (p.question.Str() != "" || i > 0)
		p.user, p.assistant = metadata.Get("user_"+strconv.Itoa(i)), metadata.Get("assistant_"+strconv.Itoa(i))
		out = append(out, p)
	}
	return out
}

// pair adds what both sides said, and the versions of it that are not selected.
func (d *decoder) pair(p pair) {
	o := d.b.Item(d.list, p.index, p.node)
	before := d.tip
	if p.said {
		m := d.side(o, "u", p.index, normalize.RoleUser, p.question, p.user)
		m.Attachments = attachments(p.user.Get("attachments"))
	}
	asked := d.tip
	m := d.side(o, "a", p.index, normalize.RoleAssistant, p.answer, p.assistant)
	m.Model = p.assistant.Get("model_name").Str()
	m.ToolCalls = d.calls(p.assistant.Get("tool_sequence"))
	if p.said {
		d.versions("u", p.index, normalize.RoleUser, p.user, before)
	}
	d.versions("a", p.index, normalize.RoleAssistant, p.assistant, asked)
}

// side adds the selected version of what one side said.
func (d *decoder) side(o *lossless.Object, side string, i int, role string, text, meta jsonscan.Node) *lossless.Message {
	m := o.Add(messageID(side, i, selected(meta)), role)
	m.Text(text.Str())
	m.Time = d.time(meta.Get("timestamp"))
	if v := current(meta); v.Get("timestamp").Exists() {
		m.Time = d.time(v.Get("timestamp"))
	}
	d.tip = d.tree.Add(d.tip)
	return m
}

// versions adds the others as siblings.
func (d *decoder) versions(side string, i int, role string, meta jsonscan.Node, parent int) {
	list := meta.Get("versions")
	if list.Len() < 2 || list.Kind() != jsonscan.Array {
		return
	}
	key := map[string]string{"u": "user_", "a": "assistant_"}[side] + strconv.Itoa(i)
	o := d.b.Value("/metadata", key, meta)
	k, shown := 0, selected(meta)
	var last *lossless.Message
	for v := range list.Items() {
		if text := v.Get("content"); k != shown && text.Kind() == jsonscan.String {
			m := o.Add(messageID(side, i, k), role)
			m.Text(text.Str())
			m.Time = d.time(v.Get("timestamp"))
			m.Model = v.Get("model_name").Str()
			d.tree.Add(parent)
			last = m
		}
		k++
	}
	if last != nil {
		last.ProviderMessageID = key
	}
}

// selected is the index of the version that is shown; 0 where there is one only.
func selected(meta jsonscan.Node) int {
	n, err := strconv.Atoi(string(meta.Get("current_version_index").Raw()))
	if err != nil || n < 0 || n >= meta.Get("versions").Len() {
		return max(meta.Get("versions").Len()-1, 0)
	}
	return n
}

func current(meta jsonscan.Node) jsonscan.Node {
	k, shown := 0, selected(meta)
	for v := range meta.Get("versions").Items() {
		if k == shown {
			return v
		}
		k++
	}
	return jsonscan.Node{}
}

// time reads a time of the person's clock.
func (d *decoder) time(n jsonscan.Node) normalize.Instant {
	if n.Kind() != jsonscan.String || n.Str() == "" {
		return normalize.Epoch
	}
	t, ok := localapp.LocalTime(timeLayout, n.Str())
	if !ok {
		d.b.Anomalies["unreadable_time"]++
		return normalize.Epoch
	}
	localapp.FlagLocalTime(d.b)
	d.b.Seen(t)
	return t
}

// calls are the tools that were used on the way to an answer. Their results stay in raw_metadata,
// for they may be long.
func (d *decoder) calls(sequence jsonscan.Node) []pamio.ToolCall {
	var out []pamio.ToolCall
	for step := range sequence.Items() {
		for c := range step.Get("tool_calls").Items() {
			f := c.Get("function")
			call := pamio.ToolCall{ID: c.Get("id").Str(), Name: f.Get("name").Str()}
			if call.Name == "" {
				d.b.Unknown("unknown_content")
				continue
			}
			if in := f.Get("arguments"); in.Kind() == jsonscan.Object || in.Kind() == jsonscan.String {
				call.Input = in.AppendCompact(nil)
			}
			out = append(out, call)
		}
	}
	return out
}

// attachments are the files that the person added. Their content stands in the file and stays in
// raw_metadata.
func attachments(list jsonscan.Node) []pamio.Attachment {
	var out []pamio.Attachment
	for f := range list.Items() {
		if f.Kind() != jsonscan.Object {
			continue
		}
		a := pamio.Attachment{Type: "document", Name: f.Get("name").Str()}
		switch kind := f.Get("type").Str(); {
		case kind == "image":
			a.Type = kind
		case strings.Contains(kind, "/"):
			a.MimeType = kind
		}
		out = append(out, a)
	}
	return out
}
