package chatgpt

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// citer collects the citations of a message. The first place that names a URL gives its url, title
// and snippet to the document; citation_from keeps the place. Later places of the same URL stay as
// they are.
type citer struct {
	d     *decoder
	m     *pamio.Message
	seen  map[string]bool
	paths []string
}

// maxCiteDepth bounds how deep references to references are followed.
const maxCiteDepth = 4

// citations reads metadata.citations and metadata.content_references.
func (d *decoder) citations(m *pamio.Message, metadata jsonscan.Node) []string {
	c := citer{d: d, m: m}
	i := 0
	for v := range metadata.Get("citations").Items() {
		c.take(v.Get("metadata"), placeCitation+strconv.Itoa(i), "text")
		i++
	}
	c.references(metadata.Get("content_references"), strings.TrimSuffix(placeReference, "/"), 0)
	return c.paths
}

// nested are the lists inside a reference that hold references.
var nested = []string{"items", "fallback_items", "sources", "supporting_websites"}

func (c *citer) references(list jsonscan.Node, path string, depth int) {
	i := -1
	for v := range list.Items() {
		i++
		if v.Kind() != jsonscan.Object || depth > maxCiteDepth {
			continue
		}
		at := path + "/" + strconv.Itoa(i)
		c.take(v, at, "snippet")
		for _, key := range nested {
			if l := v.Get(key); l.Kind() == jsonscan.Array {
				c.references(l, at+"/"+key, depth+1)
			}
		}
	}
}

// take makes a citation of an object that has a URL.
func (c *citer) take(v jsonscan.Node, path, snippet string) {
	link := v.Get("url")
	if link.Kind() != jsonscan.String {
		return
	}
	u := link.Str()
	if c.seen[u] || !absolute(u) {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[u] = true
	cite := pamio.Citation{URL: u}
	c.grab(link)
	if t := v.Get("title"); t.Kind() == jsonscan.String && !t.Is("") {
		cite.Title = t.Str()
		c.grab(t)
	}
	if s := v.Get(snippet); s.Kind() == jsonscan.String && !s.Is("") {
		cite.Snippet = s.Str()
		c.grab(s)
	}
	c.m.Citations = append(c.m.Citations, cite)
	c.paths = append(c.paths, path)
}

func (c *citer) grab(n jsonscan.Node) {
	c.d.taken.Take(n)
	c.d.loss.Mapped++
}

// absolute tells whether a text is an absolute web address, as the format "uri" has it.
func absolute(s string) bool {
	if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") || len(s) > 8192 {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7F || strings.IndexByte("\"<>\\^`{|}", s[i]) >= 0 {
			return false
		}
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != ""
}

// contentCitation adds the source that the content itself is: a quoted or fetched page, or the
// output of a connector. Its few fields are copied; they stay in the residual.
func contentCitation(m *pamio.Message, content jsonscan.Node) {
	var link, title jsonscan.Node
	switch contentType(content) {
	case "tether_quote", "sonic_webpage":
		link, title = content.Get("url"), content.Get("title")
	case "citable_code_output":
		link, title = content.Get("metadata").Get("display_url"), content.Get("metadata").Get("display_title")
	default:
		return
	}
	if u := link.Str(); absolute(u) {
		for _, c := range m.Citations {
			if c.URL == u {
				return
			}
		}
		m.Citations = append(m.Citations, pamio.Citation{URL: u, Title: title.Str()})
	}
}

// metadata maps a message's metadata: the model, attachments and citations are taken, the rest is
// the residual.
func (d *decoder) metadata(m *pamio.Message, n *node, r *object) {
	content, metadata := n.has.content, n.has.metadata
	var paths []string
	if metadata.Exists() {
		d.taken.Reset()
		before := d.loss.Mapped
		d.model(m, metadata, r)
		if metadata.Kind() == jsonscan.Object {
			d.attachments(m, metadata.Get("attachments"))
			paths = d.citations(m, metadata)
			d.tokens(m, metadata)
		}
		if d.loss.Mapped == before || metadata.Len() > 1 || m.Model == "" {
			r.key("metadata")
			r.buf = d.taken.AppendResidual(r.buf, metadata, &d.loss.Raw)
		}
	}
	if len(paths) > 0 {
		r.key(keyCiteFrom)
		r.buf = append(r.buf, '[')
		for i, p := range paths {
			if i > 0 {
				r.buf = append(r.buf, ',')
			}
			r.buf = pamio.AppendString(r.buf, p)
		}
		r.buf = append(r.buf, ']')
	}
	if content.Exists() {
		contentCitation(m, content)
	}
	d.attachFiles(m)
}

// modelKeys are the metadata keys that name the model, best first.
var modelKeys = []string{"model_slug", "resolved_model_slug", "default_model_slug", "requested_model_slug"}

func (d *decoder) model(m *pamio.Message, metadata jsonscan.Node, r *object) {
	for i, key := range modelKeys {
		v := metadata.Get(key)
		if v.Kind() != jsonscan.String || v.Is("") {
			continue
		}
		m.Model = v.Str()
		d.taken.Take(v)
		d.loss.Mapped++
		if i > 0 {
			r.text(keyModelFrom, key)
		}
		return
	}
}

// tokens copies the count of a reply's tokens where the source has it.
func (d *decoder) tokens(m *pamio.Message, metadata jsonscan.Node) {
	if m.Role != normalize.RoleAssistant {
		return
	}
	if n, ok := plainSize(metadata.Get("usage").Get("completion_tokens")); ok {
		m.TokenCount = &n
	}
}

// Places in citation_from are short, for there are many of them: "c/3" is
// metadata.citations[3].metadata, "r/1/items/0" is metadata.content_references[1].items[0].
const (
	placeCitation  = "c/"
	placeReference = "r/"
)

// citationPath is the JSON pointer inside metadata of a place, and the key of the snippet there.
func citationPath(place string) (path, snippet string) {
	if i, ok := strings.CutPrefix(place, placeCitation); ok {
		return "/citations/" + i + "/metadata", "text"
	}
	return "/content_references/" + strings.TrimPrefix(place, placeReference), "snippet"
}
