package claude

import (
	"path"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// attachments reads the files of a message: documents whose text was read, which stays in raw_metadata with them, and files
// of which the export has no more than the name.
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
		if size, err := strconv.ParseInt(string(a.Get("file_size").Raw()), 10, 64); err == nil && size >= 0 && size < maxExact {
			out.SizeBytes = &size
		}
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
		out := pamio.Attachment{Type: fileType(f.Get("file_name").Str()), Name: f.Get("file_name").Str(), ProviderID: f.Get("file_uuid").Str()}
		if k := f.Get("file_kind").Str(); k == "image" || k == "document" {
			out.Type = k
		}
		c.missing()
		m.Attachments = append(m.Attachments, out)
	}
}

// missing counts a file that is not in the export. None is, in any generation.
func (c *chat) missing() { c.b.Anomalies[importer.AnomalyAssetMissing]++ }

// fileTypes are types of attachments by the ending of their names.
var fileTypes = map[string]string{
	".png": "image", ".jpg": "image", ".jpeg": "image", ".gif": "image", ".webp": "image", ".heic": "image", ".svg": "image", ".bmp": "image",
	".mp3": "audio", ".wav": "audio", ".m4a": "audio", ".ogg": "audio", ".flac": "audio",
	".mp4": "video", ".mov": "video", ".webm": "video",
	".pdf": "document", ".txt": "document", ".md": "document", ".doc": "document", ".docx": "document", ".odt": "document", ".rtf": "document",
	".ppt": "document", ".pptx": "document", ".xls": "document", ".xlsx": "document", ".html": "document", ".epub": "document",
}

func fileType(name string) string {
	if t := fileTypes[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return "file"
}

// maxExact bounds the whole numbers that every reader of JSON has exactly; a document holds no larger ones.
const maxExact = 1 << 53
