package perplexity

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// maxXMLDepth is how deep elements of a part may be nested. Those of a workbook are about ten deep.
const maxXMLDepth = 64

// partReader reads a part of a workbook token by token. A token is bounded, and so is the depth.
type partReader struct {
	part  string
	body  io.ReadCloser
	meter *meter
	dec   *xml.Decoder
	path  []string
	// offset is where the token that was read last starts in the part, in bytes.
	offset int64
}

// meter gives an error when a token takes more than its limit, and waits for memory for it and for
// what was read before.
type meter struct {
	ctx         context.Context
	memory      importer.Memory // may be nil
	r           io.Reader
	limit, left int64
	before      int64 // bytes of the row that are held beside the token
}

func (m *meter) wait() error {
	if m.memory == nil {
		return nil
	}
	return m.memory.Hold(m.ctx, m.before+m.limit-m.left)
}

var errLongToken = errors.New("a value is too long")

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errLongToken
	}
	n, err := m.r.Read(p)
	m.left -= int64(n)
	if bad := m.wait(); bad != nil {
		return 0, bad
	}
	return n, err
}

func (b *book) read(ctx context.Context, part string) (*partReader, error) {
	m, ok := b.find(part)
	if !ok {
		return nil, &badBook{cut.CodeUnread, "the workbook has no part " + strconv.Quote(part)}
	}
	body, err := m.Open(ctx)
	if err != nil {
		return nil, partError(part, 0, err)
	}
	limit := b.limits.MaxConversation
	r := &partReader{part: part, body: body, meter: &meter{ctx: ctx, memory: b.limits.Memory, r: body, limit: limit, left: limit}}
	r.dec = xml.NewDecoder(r.meter)
	return r, nil
}

// Close ends the reading. The part was only read.
func (r *partReader) Close() { _ = r.body.Close() }

// next gives the next token, nil at the end of the part.
func (r *partReader) next() (xml.Token, error) {
	r.meter.left = r.meter.limit
	r.offset = r.dec.InputOffset()
	t, err := r.dec.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, partError(r.part, r.dec.InputOffset(), err)
	}
	switch t := t.(type) {
	case xml.StartElement:
		if r.path = append(r.path, t.Name.Local); len(r.path) > maxXMLDepth {
			return nil, &badBook{cut.CodeSyntax, fmt.Sprintf("%s: elements are nested more than %d deep at byte %d", r.part, maxXMLDepth, r.offset)}
		}
	case xml.EndElement:
		r.path = r.path[:len(r.path)-1]
	}
	return t, nil
}

// inText tells whether text that is read belongs to an element: it stands in its <t>, or in that of
// a run of one format, but not in that of a reading aid.
func (r *partReader) inText(of string) bool {
	n := len(r.path)
	return n >= 2 && r.path[n-1] == "t" && (r.path[n-2] == of || n >= 3 && r.path[n-2] == "r" && r.path[n-3] == of)
}

// partError says what is wrong with a part; an error of the storage stays one.
func partError(part string, at int64, err error) error {
	var syntax *xml.SyntaxError
	var damaged *archive.Error
	switch {
	case errors.Is(err, errLongToken):
		return &badBook{cut.CodeTooBig, fmt.Sprintf("%s: a value at byte %d has more bytes than the limit; raise limits.max_conversation to read it", part, at)}
	case errors.As(err, &damaged):
		return &badBook{cut.CodeUnread, part + " cannot be read: " + err.Error()}
	case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
		return &badBook{cut.CodeTruncated, fmt.Sprintf("%s ends too early, at byte %d; the rows before were read", part, at)}
	case errors.As(err, &syntax):
		return &badBook{cut.CodeSyntax, fmt.Sprintf("%s stops being XML at byte %d; the rows before were read", part, at)}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case strings.HasPrefix(err.Error(), "xml: "):
		return &badBook{cut.CodeSyntax, fmt.Sprintf("%s is in an encoding that is not read, or stops being XML at byte %d", part, at)}
	}
	return fmt.Errorf("read %s: %w", part, err)
}

// unescape replaces _xHHHH_, which stands for a character that XML cannot hold (ISO/IEC 29500-1
// §22.4.2.4).
func unescape(s string) string {
	i := strings.Index(s, "_x")
	if i < 0 {
		return s
	}
	var out strings.Builder
	for i >= 0 {
		out.WriteString(s[:i])
		s = s[i:]
		n := 1
		if len(s) >= 7 && s[6] == '_' {
			if v, err := strconv.ParseUint(s[2:6], 16, 16); err == nil && utf8.ValidRune(rune(v)) {
				out.WriteRune(rune(v))
				s, n = s[7:], 0
			}
		}
		out.WriteString(s[:n])
		s = s[n:]
		i = strings.Index(s, "_x")
	}
	out.WriteString(s)
	return out.String()
}
