package chatgpt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/archive"
)

// pageMark stands before the conversations in chat.html.
var pageMark = []byte("var jsonData = ")

// quirkEntities says that the strings of chat.html were unescaped.
const quirkEntities = "html_entities"

// maxPageHead is how far the mark may be from the start of the page, in bytes: there are only
// styles before it.
const maxPageHead = 16 << 20

// skipToPageData reads up to the mark.
func skipToPageData(r *bufio.Reader) (found bool, err error) {
	for read := 0; read <= maxPageHead; {
		part, err := r.ReadSlice(pageMark[0]) // which stands nowhere else in the mark
		read += len(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		}
		if rest, _ := r.Peek(len(pageMark) - 1); bytes.Equal(rest, pageMark[1:]) { // what ends it is met again
			_, err := r.Discard(len(rest))
			return err == nil, err
		}
	}
	return false, nil
}

func hasPageData(ctx context.Context, m archive.Member) (bool, error) {
	r, err := m.Open(ctx)
	if err != nil {
		return false, ctx.Err() // a page that cannot be read is described as unclaimed
	}
	defer r.Close() //nolint:errcheck // only looked at
	found, err := skipToPageData(bufio.NewReader(r))
	if err != nil && ctx.Err() != nil {
		return false, fmt.Errorf("read %s: %w", m.Name, err)
	}
	return found && err == nil, nil
}

// valueReader ends its stream behind the first JSON value, where the page goes on with script.
type valueReader struct {
	r     *bufio.Reader
	depth int
	str   bool
	esc   bool
	done  bool
}

func (v *valueReader) Read(p []byte) (int, error) {
	if v.done {
		return 0, io.EOF
	}
	n, err := v.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case v.esc:
			v.esc = false
		case v.str:
			v.esc = c == '\\'
			v.str = c != '"'
		case c == '"':
			v.str = true
		case c == '[' || c == '{':
			v.depth++
		case c == ']' || c == '}':
			if v.depth--; v.depth == 0 {
				v.done = true
				return i + 1, nil
			}
		}
	}
	return n, err
}

var pageEntities = [][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `\"`}, {"&#x27;", "'"}, {"&amp;", "&"}}

// unescapePage undoes one level of HTML escaping in the text of a JSON value; entities stand only
// in its strings.
func unescapePage(src []byte) (out []byte, changed bool) {
	for i := 0; i < len(src); {
		amp := bytes.IndexByte(src[i:], '&')
		if amp < 0 {
			if !changed {
				return src, false
			}
			return append(out, src[i:]...), true
		}
		out = append(out, src[i:i+amp]...)
		i += amp
		hit := false
		for _, e := range pageEntities {
			if bytes.HasPrefix(src[i:], []byte(e[0])) {
				out = append(out, e[1]...)
				i += len(e[0])
				hit, changed = true, true
				break
			}
		}
		if !hit {
			out = append(out, '&')
			i++
		}
	}
	return out, changed
}
