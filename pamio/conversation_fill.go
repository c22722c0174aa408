package pamio

import (
	"fmt"
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// filler fills structs from the values of a document that parse has read: keys in their exact case,
// strings copied out of the source. A null is the zero value, an unknown key is passed over. It
// does what the decoder does for other documents, without reading the text once more and without
// the code that the decoder makes when it starts.
type filler struct {
	// wrong is the first value of a wrong type.
	wrong jsonscan.Node
}

func (f *filler) err() error {
	if !f.wrong.Exists() {
		return nil
	}
	return fmt.Errorf("%w: the value at byte %d has the wrong type", ErrNotPAM, f.wrong.Offset())
}

// is tells whether a value is there and of a kind. Any other value but null is wrong.
func (f *filler) is(n jsonscan.Node, k jsonscan.Kind) bool {
	if n.Kind() == k {
		return true
	}
	if !n.IsNull() {
		f.refuse(n)
	}
	return false
}

func (f *filler) refuse(n jsonscan.Node) {
	if !f.wrong.Exists() {
		f.wrong = n
	}
}

func (f *filler) text(n jsonscan.Node) string {
	if !f.is(n, jsonscan.String) {
		return ""
	}
	return n.Str()
}

func (f *filler) optionalText(n jsonscan.Node) *string {
	if !f.is(n, jsonscan.String) {
		return nil
	}
	s := n.Str()
	return &s
}

func (f *filler) flag(n jsonscan.Node) bool { return f.is(n, jsonscan.Bool) && n.True() }

func (f *filler) count(n jsonscan.Node) *int64 {
	if !f.is(n, jsonscan.Number) {
		return nil
	}
	i, err := strconv.ParseInt(string(n.Raw()), 10, 64)
	if err != nil {
		f.refuse(n)
		return nil
	}
	return &i
}

// raw keeps a value of any kind; null is absent.
func (f *filler) raw(n jsonscan.Node) RawJSON {
	if n.IsNull() {
		return nil
	}
	return n.AppendCompact(make([]byte, 0, len(n.Raw())))
}

// object calls fill for each member of an object. It tells whether the value is one.
func (f *filler) object(n jsonscan.Node, fill func(key []byte, v jsonscan.Node)) bool {
	if !f.is(n, jsonscan.Object) {
		return false
	}
	for k, v := range n.Fields() {
		key := k.Raw()
		if k.Flags()&jsonscan.Escaped != 0 {
			fill([]byte(k.Str()), v)
		} else {
			fill(key[1:len(key)-1], v)
		}
	}
	return true
}

// fillList fills a list; an empty one is not nil.
func fillList[T any](f *filler, n jsonscan.Node, fill func(*filler, *T, jsonscan.Node)) []T {
	if !f.is(n, jsonscan.Array) {
		return nil
	}
	list := make([]T, n.Len())
	i := 0
	for item := range n.Items() {
		fill(f, &list[i], item)
		i++
	}
	return list
}

func fillText(f *filler, s *string, n jsonscan.Node) { *s = f.text(n) }

// conversation fills in a document and gives what it says of its schema.
func (f *filler) conversation(c *Conversation, n jsonscan.Node) (schema, version string) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "schema":
			schema = f.text(v)
		case "schema_version":
			version = f.text(v)
		case "id":
			c.ID = f.text(v)
		case "provider":
			f.provider(&c.Provider, v)
		case "title":
			c.Title = f.optionalText(v)
		case "temporal":
			f.span(&c.Temporal, v)
		case "participants":
			c.Participants = fillList(f, v, (*filler).participant)
		case "messages":
			c.Messages = fillList(f, v, (*filler).message)
		case "model":
			c.Model = f.text(v)
		case "system_instruction":
			c.SystemInstruction = f.text(v)
		case "is_archived":
			c.IsArchived = f.flag(v)
		case "tags":
			c.Tags = fillList(f, v, fillText)
		case "raw_metadata":
			c.RawMetadata = f.raw(v)
		case "import_metadata":
			m := &ImportMetadata{}
			if f.importMetadata(m, v) {
				c.Import = m
			}
		}
	})
	return schema, version
}

func (f *filler) provider(p *Provider, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "name":
			p.Name = f.text(v)
		case "conversation_id":
			p.ConversationID = f.text(v)
		case "account_id":
			p.AccountID = f.text(v)
		case "export_format_version":
			p.ExportFormatVersion = f.text(v)
		}
	})
}

func (f *filler) span(s *Span, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "created_at":
			s.CreatedAt = f.text(v)
		case "updated_at":
			s.UpdatedAt = f.text(v)
		}
	})
}

func (f *filler) participant(p *Participant, n jsonscan.Node) {
	f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "role":
			p.Role = f.text(v)
		case "name":
			p.Name = f.text(v)
		case "provider_id":
			p.ProviderID = f.text(v)
		}
	})
}

func (f *filler) importMetadata(m *ImportMetadata, n jsonscan.Node) bool {
	return f.object(n, func(key []byte, v jsonscan.Node) {
		switch string(key) {
		case "importer":
			m.Importer = f.text(v)
		case "importer_version":
			m.ImporterVersion = f.text(v)
		case "imported_at":
			m.ImportedAt = f.text(v)
		case "source_file":
			m.SourceFile = f.text(v)
		case "source_checksum":
			m.SourceChecksum = f.text(v)
		}
	})
}
