package chat

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// Cite adds a source to the message as a whole, once for each address. What is no address of the
// web stays in the source.
func Cite(p *lossless.Message, url, title string) {
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || !pamio.IsAbsoluteURI(url) || len(p.Citations) >= maxCitations {
		return
	}
	for i := range p.Citations {
		if p.Citations[i].URL == url {
			return
		}
	}
	p.Citations = append(p.Citations, pamio.Citation{URL: url, Title: title})
}

// maxCitations bounds the sources of one message that get a field; the others stay in raw_metadata.
const maxCitations = 500

// Primary is the message that has what belongs to the object as a whole. It makes one from the
// plain content when nothing was shown yet.
func (m *Maker) Primary() *lossless.Message {
	if m.primary == nil {
		c := m.Node.Get("content")
		if c.Kind() == jsonscan.String {
			m.Answer(c.Str())
		} else {
			m.kind = kindNone
			m.primary = m.begin(kindAnswer, m.Role)
		}
	}
	return m.primary
}
