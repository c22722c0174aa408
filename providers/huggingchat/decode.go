package huggingchat

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeElement makes the document of one conversation, or the record of one assistant.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	if u.Role == roleAssistants {
		return assistant(u, root)
	}
	if root.Kind() != jsonscan.Object || root.Get("messages").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, "not_a_conversation", "the element has no list of messages")
	}
	files, _ := u.Context.(localapp.Files)
	b := localapp.New(schema, src, app, format)
	name(b)
	b.Title(root.Get("title"))
	b.Doc.Model = root.Get("model").Str()
	b.Doc.SystemInstruction = root.Get("preprompt").Str()
	b.Doc.Provider.AccountID = root.Get("userId").Str()
	b.Created, b.Updated = b.Time(root.Get("createdAt")), b.Time(root.Get("updatedAt"))
	d := &decoder{b: b, files: files, conversation: root.Get("_id").Str(), byID: map[string]*lossless.Object{}, parent: map[string]string{}}
	d.repeated = repeatsFiles(root.Get("messages"))
	b.AddItems("/messages", "unknown_message", func(_ int, o *lossless.Object) {
		d.message(o)
	})
	d.link()
	return localapp.Finish(b, nil)
}

type decoder struct {
	b            *lossless.Builder
	files        localapp.Files
	conversation string
	repeated     bool // all messages name the same files
	attached     bool
	objects      []*lossless.Object
	byID         map[string]*lossless.Object
	parent       map[string]string // by id, from the lists of children
}

func (d *decoder) message(o *lossless.Object) {
	m, b := o.Node(), d.b
	role := b.Role(m.Get("from").Str())
	turn := localapp.NewTurn(o, role)
	turn.Time = b.Time(m.Get("createdAt"))
	if r := m.Get("reasoning").Str(); r != "" {
		turn.Think().Text(r)
	}
	said := turn.Say()
	said.TextOf(m.Get("content"))
	if !d.repeated || role == normalize.RoleUser && !d.attached {
		said.Attachments = d.attachments(m.Get("files"))
		d.attached = true
	}
	for s := range m.Get("webSearch").Get("sources").Items() {
		if link := s.Get("link").Str(); absolute(link) {
			said.Citations = append(said.Citations, pamio.Citation{URL: link, Title: s.Get("title").Str()})
		}
	}
	id := m.Get("id").Str()
	turn.End(id)
	d.objects = append(d.objects, o)
	if _, ok := d.byID[id]; !ok && id != "" {
		d.byID[id] = o
	}
	for c := range m.Get("children").Items() {
		if _, ok := d.parent[c.Str()]; !ok {
			d.parent[c.Str()] = id
		}
	}
}

// link hangs messages on the last of their ancestors, or on the one that names them as a child.
func (d *decoder) link() {
	for _, o := range d.objects {
		m := o.Node()
		ancestors := m.Get("ancestors")
		last := ""
		for a := range ancestors.Items() {
			last = a.Str()
		}
		if last == "" {
			last = d.parent[m.Get("id").Str()]
		}
		switch {
		case last != "":
			o.Parent(d.byID[last])
		case ancestors.Kind() == jsonscan.Array:
			o.Root()
		}
	}
}

// repeatsFiles tells whether all messages name the same files, and more than none: the export gives
// every message the files of the whole conversation, so that nobody knows whose they are. They are
// taken for those of the first question.
func repeatsFiles(messages jsonscan.Node) bool {
	first, n := jsonscan.Node{}, 0
	for m := range messages.Items() {
		f := m.Get("files")
		if n > 0 && !normalize.Equal(first, f) || f.Kind() != jsonscan.Array || f.Len() == 0 {
			return false
		}
		for v := range f.Items() {
			if v.Kind() != jsonscan.String {
				return false
			}
		}
		first = f
		n++
	}
	return n > 1
}

// attachments are the files of a message: names in the export, or objects as the database has them.
func (d *decoder) attachments(list jsonscan.Node) []pamio.Attachment {
	var out []pamio.Attachment
	for f := range list.Items() {
		switch {
		case f.Kind() == jsonscan.String && f.Str() != "":
			out = append(out, pamio.Attachment{Type: "file", Name: f.Str(), Ref: d.files.Ref(d.b, f.Str())})
		case f.Kind() == jsonscan.Object:
			a := pamio.Attachment{Type: "file", Name: f.Get("name").Str(), MimeType: f.Get("mime").Str()}
			kind, _, _ := strings.Cut(a.MimeType, "/")
			switch kind {
			case "image", "audio", "video":
				a.Type = kind
			case "text", "application":
				a.Type = "document"
			}
			if hash := f.Get("value").Str(); f.Get("type").Is("hash") && hash != "" {
				a.Ref = d.files.Ref(d.b, "file-"+d.conversation+"-"+hash[:min(len(hash), 8)])
			}
			out = append(out, a)
		default:
			d.b.Unknown("unknown_file")
		}
	}
	return out
}

// absolute tells whether a text is a link that a citation may have.
func absolute(link string) bool {
	return (strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://")) && pamio.IsAbsoluteURI(link)
}

// assistant keeps an assistant that the person made. The export writes null for one whose picture
// it has not found.
func assistant(u importer.Unit, root jsonscan.Node) ([]importer.Item, error) {
	if root.IsNull() {
		return []importer.Item{{Skip: &importer.Skip{Code: "assistant_not_exported", Reason: "the export has null in the place of an assistant", Count: 1}}}, nil
	}
	if root.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, "not_an_assistant", "the element is no JSON object")
	}
	r := &importer.Record{
		Kind: importer.RecordAssistant, Provider: localapp.Provider, ID: root.Get("_id").Str(), Title: root.Get("name").Str(),
		Text: root.Get("preprompt").Str(), AccountID: root.Get("createdById").Str(), Raw: root.AppendCompact(nil),
	}
	r.CreatedAt = lossless.TimeText(root.Get("createdAt"))
	r.UpdatedAt = lossless.TimeText(root.Get("updatedAt"))
	return []importer.Item{{Record: r}}, nil
}
