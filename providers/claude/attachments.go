package claude

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// attachments reads the files of a message: documents whose text was read, which stays in
// raw_metadata with them, and files of which the export has no more than the name.
func (c *chat) attachments(m *lossless.Message, n jsonscan.Node) {
	for a := range n.Get("attachments").Items() {
		if a.Kind() != jsonscan.Object {
			c.b.Unknown("attachment_not_an_object")
			continue
		}
		out := pamio.Attachment{Type: "document", Name: a.Get("file_name").Str()}
		if mime := a.Get("file_type").Str(); strings.Contains(mime, "/") {
			out.MimeType = mime
		}
		out.SizeBytes = importer.Count(a.Get("file_size"))
		if a.Get("extracted_content").Kind() != jsonscan.String {
			c.missing()
		}
		m.Attachments = append(m.Attachments, out)
	}
	for f := range n.Get("files").Items() {
		if f.Kind() != jsonscan.Object {
			c.b.Unknown("file_not_an_object")
			continue
		}
		out := pamio.Attachment{Type: importer.NamedType(f.Get("file_name").Str()), Name: f.Get("file_name").Str(), ProviderID: f.Get("file_uuid").Str()}
		if k := f.Get("file_kind").Str(); k == "image" || k == "document" {
			out.Type = k
		}
		c.missing()
		m.Attachments = append(m.Attachments, out)
	}
}

// missing counts a file that is not in the export. None is, in any generation.
func (c *chat) missing() { c.b.Anomalies[importer.AnomalyAssetMissing]++ }
