package chatgpt

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// restoreMetadata writes the metadata: the residual with model, attachments and citations put back.
func restoreMetadata(r *object, m *pamio.Message, raw jsonscan.Node) {
	residual := raw.Get("metadata")
	var patches []normalize.Patch
	put := func(path, value string) {
		if value != "" {
			patches = append(patches, normalize.Patch{Path: path, Value: pamio.AppendString(nil, value)})
		}
	}
	key := modelKeys[0]
	if from := raw.Get(keyModelFrom); from.Exists() {
		key = from.Str()
	}
	put("/"+key, m.Model)
	i, at := -1, -1
	for a := range residual.Get("attachments").Items() {
		at++
		if a.Kind() != jsonscan.Object {
			continue
		}
		if i++; i >= len(m.Attachments) {
			break
		}
		att, base := &m.Attachments[i], "/attachments/"+strconv.Itoa(at)
		put(base+"/id", att.ProviderID)
		put(base+"/name", att.Name)
		other, spelt := a.Get("mimeType"), a.Get("mime_type")
		switch {
		case !other.Exists() || spelt.Kind() == jsonscan.String && !spelt.Is("") && !spelt.Is(att.MimeType):
			put(base+"/mime_type", att.MimeType)
		case (spelt.Kind() != jsonscan.String || spelt.Is("")) && !other.Is(att.MimeType):
			put(base+"/mimeType", att.MimeType)
		}
		if att.SizeBytes != nil {
			patches = append(patches, normalize.Patch{Path: base + "/size", Value: strconv.AppendInt(nil, *att.SizeBytes, 10)})
		}
	}
	i = 0
	for p := range raw.Get(keyCiteFrom).Items() {
		if i >= len(m.Citations) {
			break
		}
		c := &m.Citations[i]
		path, snippet := citationPath(p.Str())
		put(path+"/url", c.URL)
		put(path+"/title", c.Title)
		put(path+"/"+snippet, c.Snippet)
		i++
	}
	if !residual.Exists() && len(patches) == 0 {
		return
	}
	r.key("metadata")
	r.buf = normalize.AppendOverlay(r.buf, residual, patches)
}
