package chatgpt

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// attachments maps metadata.attachments: each object becomes one attachment, in order, and its id,
// name, size and mime_type are taken. The other spelling, mimeType, is copied, not taken: where it
// stands, nothing is taken for it.
func (d *decoder) attachments(m *pamio.Message, list jsonscan.Node) {
	for a := range list.Items() {
		if a.Kind() != jsonscan.Object {
			continue
		}
		out := pamio.Attachment{}
		other := a.Get("mimeType")
		for k, v := range a.Fields() {
			str := v.Kind() == jsonscan.String && !v.Is("")
			switch {
			case k.Is("id") && str:
				out.ProviderID = v.Str()
			case k.Is("name") && str:
				out.Name = v.Str()
			case k.Is("mime_type") && str:
				if other.Exists() {
					out.MimeType = shortText(v)
					continue
				}
				out.MimeType = v.Str()
			case k.Is("size"):
				size, ok := plainSize(v)
				if !ok {
					continue
				}
				out.SizeBytes = &size
			default:
				continue
			}
			d.taken.Take(v)
			d.loss.Mapped++
		}
		if spelt := a.Get("mime_type"); spelt.Kind() != jsonscan.String || spelt.Is("") {
			out.MimeType = shortText(other)
		}
		out.Type = attachmentType(out.MimeType, out.Name)
		if !d.old {
			d.refer(&out, true, out.ProviderID, a.Get("library_file_id").Str())
			if out.Ref == "" {
				d.anomalies[importer.AnomalyAssetMissing]++
			}
		}
		m.Attachments = append(m.Attachments, out)
	}
}

// maxCopied bounds a text that is copied into a field and stays in the residual, too, in bytes.
const maxCopied = 127

// shortText is a text that is not too long to be kept twice, else "".
func shortText(n jsonscan.Node) string {
	if len(n.Raw()) > maxCopied+2 {
		return ""
	}
	return n.Str()
}

// plainSize reads a size that is written back with the same lexeme.
func plainSize(n jsonscan.Node) (int64, bool) {
	if n.Kind() != jsonscan.Number || n.Flags()&jsonscan.BigInteger != 0 {
		return 0, false
	}
	v, err := strconv.ParseInt(string(n.Raw()), 10, 64)
	return v, err == nil && v >= 0 && n.Raw()[0] != '-'
}

var documentTypes = []string{"application/pdf", "application/msword", "application/rtf", "application/vnd.", "application/epub", "text/"}

// attachmentType is the kind of a file by its media type, else by the ending of its name.
func attachmentType(mime, name string) string {
	if kind := importer.MediaType(mime); kind != "" {
		return kind
	}
	for _, p := range documentTypes {
		if strings.HasPrefix(mime, p) {
			return "document"
		}
	}
	if mime == "" {
		lower := strings.ToLower(name)
		for kind, endings := range endingTypes {
			for _, e := range endings {
				if strings.HasSuffix(lower, e) {
					return kind
				}
			}
		}
	}
	return "file"
}

var endingTypes = map[string][]string{
	"image":    {".png", ".jpg", ".jpeg", ".webp", ".gif", ".heic", ".svg"},
	"audio":    {".wav", ".mp3", ".m4a", ".ogg", ".flac"},
	"video":    {".mp4", ".mov", ".webm"},
	"document": {".pdf", ".doc", ".docx", ".txt", ".md", ".rtf", ".odt", ".xlsx", ".pptx", ".csv"},
}

// fileParts finds the files that parts point to, see attachFiles.
func (d *decoder) fileParts(m *pamio.Message, content jsonscan.Node) {
	if m.Content == nil {
		return
	}
	for i, p := range m.Content.Parts {
		if p.Ref == "" || i >= len(d.slots) {
			continue
		}
		a := pamio.Attachment{Type: p.Type, ProviderID: pointerID(p.Ref)}
		if a.ProviderID == "" {
			continue
		}
		holder := content
		path := strings.Split(strings.TrimPrefix(d.slots[i].path, "/"), "/")
		for _, segment := range path[:len(path)-1] {
			holder = step(holder, segment)
		}
		if size, ok := plainSize(holder.Get("size_bytes")); ok {
			a.SizeBytes = &size
		}
		d.refer(&a, false, a.ProviderID)
		d.files = append(d.files, a)
	}
}

// step goes one segment of a pointer down.
func step(n jsonscan.Node, segment string) jsonscan.Node {
	if n.Kind() == jsonscan.Object {
		return n.Get(segment)
	}
	want, err := strconv.Atoi(segment)
	if err != nil {
		return jsonscan.Node{}
	}
	i := 0
	for v := range n.Items() {
		if i == want {
			return v
		}
		i++
	}
	return jsonscan.Node{}
}

// pointerID is the file id in an asset pointer: "file-service://file-X" and "sediment://file_X#…".
func pointerID(ref string) string {
	if _, rest, ok := strings.Cut(ref, "://"); ok {
		ref = rest
	}
	if i := strings.IndexAny(ref, "#?"); i >= 0 {
		ref = ref[:i]
	}
	return ref
}
