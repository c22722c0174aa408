package chat

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// Files are the references of the uploaded files that the archive holds, by the id of the upload.
// See [importer.MemberRef].
type Files map[string]string

// FileRules map the files of messages.
var FileRules = []lossless.Rule{
	{Path: "/files/*/name", Slot: lossless.AttachName},
	{Path: "/files/*/id", Slot: lossless.AttachID},
	{Path: "/files/*/size", Slot: lossless.AttachSize},
	{Path: "/files/*/content_type", Slot: lossless.AttachMime},
	{Path: "/files/*/file/meta/content_type", Slot: lossless.AttachMime},
}

// references are kinds of files that are no uploads: they name something else of the program.
var references = map[string]bool{"collection": true, "doc": true, "note": true, "chat": true, "folder": true, "web_search": true, "text": true}

// attach adds the files of the object to a message.
func (m *Maker) attach(p *lossless.Message) {
	for f := range m.Node.Get("files").Items() {
		if f.Kind() != jsonscan.Object {
			continue
		}
		a := pamio.Attachment{Type: "file", Name: f.Get("name").Str(), ProviderID: f.Get("id").Str(), MimeType: f.Get("content_type").Str()}
		if a.MimeType == "" {
			a.MimeType = f.Get("file").Get("meta").Get("content_type").Str()
		}
		kind := f.Get("type").Str()
		for _, k := range []string{"image", "audio", "video"} {
			if kind == k || strings.HasPrefix(a.MimeType, k+"/") {
				a.Type = k
			}
		}
		if references[kind] {
			a.Type = "document"
		}
		a.SizeBytes = importer.Count(f.Get("size"))
		url := f.Get("url").Str()
		a.Ref = m.files.find(a.ProviderID, url)
		if a.Ref == "" && !references[kind] && !strings.HasPrefix(url, "data:") {
			m.b.Anomalies[importer.AnomalyAssetMissing]++
		}
		p.Attachments = append(p.Attachments, a)
	}
}

// pictures adds the images that stand among the parts of a content: inline, or by the address of an
// upload.
func (m *Maker) pictures(p *lossless.Message) {
	for part := range m.Node.Get("content").Items() {
		if part.Kind() != jsonscan.Object || !part.Get("type").Is("image_url") {
			continue
		}
		url := part.Get("image_url").Get("url").Str()
		a := pamio.Attachment{Type: "image", Ref: m.files.find("", url)}
		if a.Ref == "" && !strings.HasPrefix(url, "data:") {
			m.b.Anomalies[importer.AnomalyAssetMissing]++
		}
		p.Attachments = append(p.Attachments, a)
	}
}

// find looks for a file by its id, which may stand in its address only: /api/v1/files/<id>/content.
func (f Files) find(id, url string) string {
	if ref := f[id]; id != "" && ref != "" {
		return ref
	}
	for part := range strings.SplitSeq(url[:min(len(url), 1000)], "/") {
		if ref := f[part]; ref != "" {
			return ref
		}
	}
	return ""
}
