package chatgpt

import (
	"net/url"
	"path"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
)

// sandboxMark begins a link to a file that the model made in its sandbox.
const sandboxMark = "sandbox:/mnt/data/"

// maxLinks bounds the links that are followed in one message.
const maxLinks = 64

// sandbox adds an attachment for each link to a file of the sandbox that the library knows: the
// file that was made in this message under this name, the only one made in it, the one made in this
// conversation under this name, the only one of this name at all. Where several fit, nobody is
// chosen and all are noted in import_quirks. Links that lead nowhere are counted. The attachments
// come last; Restore passes over them.
func (d *decoder) sandbox(doc *pamio.Conversation) (quirks []byte) {
	if d.old {
		return nil
	}
	for i := range doc.Messages {
		m := &doc.Messages[i]
		if m.Role == normalize.RoleUser {
			continue // who quotes a link has not made the file
		}
		for _, name := range sandboxLinks(m) {
			d.joined = true
			files := d.assets.made(m, doc.Provider.ConversationID, name)
			switch len(files) {
			case 0:
				d.anomalies[importer.AnomalyAssetMissing]++
			case 1:
				d.attachMade(m, files[0])
			default:
				d.anomalies["ambiguous_asset"]++
				quirks = appendCandidates(quirks, m.ID, name, files)
			}
		}
	}
	return quirks
}

// sandboxLinks are the names of the files that a message links to, each once.
func sandboxLinks(m *pamio.Message) []string {
	if m.Content == nil {
		return nil
	}
	var links []string
	seen := map[string]bool{}
	collect := func(text string) {
		for len(links) < maxLinks {
			_, rest, ok := strings.Cut(text, sandboxMark)
			if !ok {
				return
			}
			end := strings.IndexAny(rest, ")\"'<>`\n\r\t ]")
			if end < 0 {
				end = len(rest)
			}
			name := rest[:end]
			text = rest[end:]
			if plain, err := url.PathUnescape(name); err == nil {
				name = plain
			}
			if name != "" && !seen[name] {
				seen[name] = true
				links = append(links, name)
			}
		}
	}
	if t := m.Content.Text; t != nil {
		collect(*t)
	}
	for i := range m.Content.Parts {
		if t := m.Content.Parts[i].Text; t != nil {
			collect(*t)
		}
	}
	return links
}

// made gives the files that a link in a message of a conversation may mean.
func (a *assets) made(m *pamio.Message, conversation, name string) []*libraryFile {
	base := path.Base(name)
	for _, id := range []string{m.ID, m.ProviderMessageID} {
		if id == "" {
			continue
		}
		if f := a.byMessageName[id+"\x00"+base]; len(f) > 0 {
			return f
		}
		if f := a.byMessage[id]; len(f) == 1 {
			return f
		}
	}
	if f := a.byThreadName[conversation+"\x00"+base]; len(f) > 0 {
		return f
	}
	return a.byName[base]
}

func (d *decoder) attachMade(m *pamio.Message, f *libraryFile) {
	for i := range m.Attachments {
		if m.Attachments[i].ProviderID == f.id {
			return
		}
	}
	a := pamio.Attachment{Type: attachmentType(f.mime, f.name), ProviderID: f.id}
	d.refer(&a, false, f.id)
	if a.Ref == "" {
		d.anomalies[importer.AnomalyAssetMissing]++
	}
	m.Attachments = append(m.Attachments, a)
}

// maxCandidates bounds the files that are noted for one link.
const maxCandidates = 16

// appendCandidates writes an entry of import_quirks.
func appendCandidates(dst []byte, message, name string, files []*libraryFile) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	r := object{buf: dst}
	r.open()
	r.text("message", message)
	r.text("sandbox", name)
	r.key("candidates")
	r.buf = append(r.buf, '[')
	for i, f := range files[:min(len(files), maxCandidates)] {
		if i > 0 {
			r.buf = append(r.buf, ',')
		}
		r.buf = pamio.AppendString(r.buf, f.id)
	}
	return append(r.buf, ']', '}')
}
