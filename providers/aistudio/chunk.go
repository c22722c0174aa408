package aistudio

import (
	"cmp"
	"path"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// chunk makes the messages of one chunk, in the order in which things were said: a thought, an
// answer with the code that is to be run, what the code wrote, the answer that goes on.
func (r *reader) chunk(o *lossless.Object, draft bool) {
	n := o.Node()
	w := writer{o: o, id: r.ids.next(n), role: r.role(n, draft), thinks: n.Get("isThought").True()}
	whole := n.Get("text")
	said := whole.Kind() == jsonscan.String && !whole.Is("") // then the parts repeat it
	waits := said
	say := func() {
		if waits {
			w.text(whole.Str(), false)
		}
		waits = false
	}
	for p := range n.Get("parts").Items() {
		t := p.Get("text")
		switch thought := p.Get("thought").True() && !w.thinks; {
		case thought && t.Kind() == jsonscan.String:
			w.text(t.Str(), true)
			continue
		case !thought:
			say()
		}
		if t.Kind() == jsonscan.String && !said {
			w.text(t.Str(), false)
		}
		r.code(&w, p)
	}
	say()
	if !w.ran {
		r.code(&w, n) // beside the parts there is a copy
	}
	m := w.primary()
	if whole.Is("") && m.Content == nil {
		m.Text("")
	}
	m.Time = r.Time(n.Get("createTime"))
	m.TokenCount = importer.CountOrText(n.Get("tokenCount"))
	if draft {
		m.NoteJSON("draft", []byte("true"))
	}
	r.cite(m, n.Get("grounding"))
	for _, f := range fileKeys {
		if v := n.Get(f.key); v.Kind() == jsonscan.Object {
			r.attach(m, v, f.kind, f.linked)
		}
	}
	for p := range n.Get("parts").Items() {
		if v := p.Get("inlineData"); v.Kind() == jsonscan.Object {
			r.attach(m, v, "", false)
		}
	}
}

// role is the PAM role of a chunk. A draft without one is the person's.
func (r *reader) role(n jsonscan.Node, draft bool) string {
	if draft && !n.Get("role").Exists() {
		return normalize.RoleUser
	}
	role := r.Role(n.Get("role").Str())
	return role
}

// codeTool is the name of the tool that runs code.
const codeTool = "code_execution"

// code reads the code that was run, and what it wrote.
func (r *reader) code(w *writer, n jsonscan.Node) {
	switch code := n.Get("executableCode"); code.Kind() {
	case jsonscan.Object, jsonscan.String:
		w.call(pamio.ToolCall{Name: codeTool, Input: code.AppendCompact(nil)})
	case jsonscan.Invalid:
	default:
		r.Unknown("unknown_code")
	}
	if out := n.Get("codeExecutionResult").Get("output"); out.Kind() == jsonscan.String {
		w.result(out.Str())
	}
}

// cite names the sources of an answer.
func (r *reader) cite(m *lossless.Message, grounding jsonscan.Node) {
	add := func(n jsonscan.Node) {
		uri := n.Get("uri").Str()
		if (strings.HasPrefix(uri, "https://") || strings.HasPrefix(uri, "http://")) && pamio.IsAbsoluteURI(uri) {
			m.Citations = append(m.Citations, pamio.Citation{URL: uri, Title: n.Get("title").Str()})
		}
	}
	for s := range grounding.Get("groundingSources").Items() {
		add(s)
	}
	for s := range grounding.Get("groundingChunks").Items() {
		add(s.Get("web"))
	}
}

// attach adds a file to a message. kind "" is told by the media type. linked: it is on the web and
// never in an archive.
func (r *reader) attach(m *lossless.Message, n jsonscan.Node, kind string, linked bool) {
	a := pamio.Attachment{Type: kind, Name: n.Get("name").Str(), MimeType: n.Get("mimeType").Str(), ProviderID: n.Get("id").Str(), SizeBytes: importer.CountOrText(n.Get("sizeBytes"))}
	if kind == "" {
		a.Type = cmp.Or(importer.MediaType(a.MimeType), "file")
	}
	inside := n.Get("data").Exists() // it stays where it is: in raw_metadata
	if file, ok := r.beside[path.Join(r.dir, a.Name)]; ok && a.Name != "" {
		a.Ref = importer.MemberRef(file)
	} else if !inside && !linked {
		r.Anomalies[importer.AnomalyAssetMissing]++
	}
	m.Attachments = append(m.Attachments, a)
}
