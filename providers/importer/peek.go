package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/pamline/pamline/archive"
)

// PeekSize is how much of a member is looked at to recognize it, in bytes.
const PeekSize = 64 << 10

// mediaHead is how much is kept of a picture, a recording or a film, in bytes: no importer looks
// for words in them.
const mediaHead = 512

// Bounds of what Peeks keeps, in bytes. Beyond them members are read again.
const (
	maxPeeked = 16 << 20
	maxShapes = 32 << 20
)

// Peeker looks at the beginnings of members so that they can be recognized. An importer asks for
// the shape first, which is known of every member after the first importer has asked, and for the
// bytes only where the shape leaves it open.
type Peeker interface {
	// Prefix gives the first bytes of a member: up to PeekSize, of pictures, recordings and films
	// fewer. What could be read before an error is given with the error.
	Prefix(ctx context.Context, m archive.Member) ([]byte, error)
	// Shape is Sniff of the first bytes, of JSON up to PeekSize of them beside the middle of long
	// texts. What could be read before an error is given with the error; Empty with it says that
	// nothing could. Importers share it: its maps and slices are never written to.
	Shape(ctx context.Context, m archive.Member) (Shape, error)
}

// Peeks is the Peeker of one archive. It keeps what it has seen of the members, within bounds, so
// that many importers cost one read of each. It is safe for concurrent use.
type Peeks struct {
	mu       sync.Mutex
	prefixes map[int]peeked
	shapes   []*shaped // by the index of the member; nil: not known
	distinct shapeTable
	size     int // bytes of prefixes
}

type peeked struct {
	data []byte
	err  error
}

type shaped struct {
	shape Shape
	err   error
}

var _ Peeker = (*Peeks)(nil)

// NewPeeks makes the Peeker of an archive, whose members are told apart by their index.
func NewPeeks() *Peeks {
	return &Peeks{prefixes: map[int]peeked{}, distinct: newShapeTable()}
}

// Prefix gives the first bytes of a member.
func (p *Peeks) Prefix(ctx context.Context, m archive.Member) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prefix(ctx, m)
}

// Shape gives the shape of a member.
func (p *Peeks) Shape(ctx context.Context, m archive.Member) (Shape, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Index < len(p.shapes) && p.shapes[m.Index] != nil {
		return p.shapes[m.Index].shape, p.shapes[m.Index].err
	}
	s, err := p.shape(ctx, m)
	if p.isKept() && ctx.Err() == nil {
		if more := m.Index + 1 - len(p.shapes); more > 0 {
			p.shapes = append(p.shapes, make([]*shaped, more)...)
		}
		p.shapes[m.Index] = p.distinct.keepShape(s, err)
	}
	return s, err
}

// isKept tells whether there is room for the shape of one more member.
func (p *Peeks) isKept() bool { return p.distinct.weight < maxShapes }

// shape looks behind the first bytes only of members whose shape will be kept: the others are read
// again for each importer that asks.
func (p *Peeks) shape(ctx context.Context, m archive.Member) (Shape, error) {
	if got, ok := p.prefixes[m.Index]; ok && (got.err != nil || len(got.data) < PeekSize) || !p.isKept() {
		data, err := p.prefix(ctx, m)
		return Sniff(data), err
	}
	r, err := m.Open(ctx)
	if err != nil {
		data, err := p.keep(ctx, m, nil, fmt.Errorf("open %s: %w", m.Name, err))
		return Sniff(data), err
	}
	defer r.Close() //nolint:errcheck // the start was read; nothing depends on the rest
	data, err := readHead(m, r)
	data, err = p.keep(ctx, m, data, err)
	if err != nil || len(data) < PeekSize || !isJSON(data) {
		return Sniff(data), err
	}
	// Its first bytes were read: what is wrong behind them is met again by whoever reads it. If they
	// are white space alone, nobody reads it.
	start := make([]byte, PeekSize)
	n, err := io.ReadFull(Skim(ctx, UTF8(io.MultiReader(bytes.NewReader(data), r))), start)
	if len(bytes.TrimSpace(start[:n])) == 0 && err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = endOfBlank(r)
		}
		if err != nil && ctx.Err() == nil {
			return Shape{}, fmt.Errorf("read %s: %w", m.Name, err)
		}
	}
	return Sniff(start[:n]), ctx.Err()
}

// endOfBlank tells what is wrong with a member of which all that was skimmed is white space: nil if
// nothing stands behind that.
func endOfBlank(rest io.Reader) error {
	n, err := io.Copy(io.Discard, rest)
	if err == nil && n > 0 {
		err = fmt.Errorf("it begins with %d bytes of white space", maxSkimmed)
	}
	return err
}

// isJSON tells whether a text begins as a list or an object does.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(utf8Prefix(head), []byte{0xEF, 0xBB, 0xBF}), " \t\r\n")
	return len(head) == 0 || head[0] == '[' || head[0] == '{'
}

func (p *Peeks) prefix(ctx context.Context, m archive.Member) ([]byte, error) {
	if got, ok := p.prefixes[m.Index]; ok {
		return got.data, got.err
	}
	data, err := readPrefix(ctx, m)
	return p.keep(ctx, m, data, err)
}

// keep remembers the first bytes of a member, within the bounds, and gives them back.
func (p *Peeks) keep(ctx context.Context, m archive.Member, data []byte, err error) ([]byte, error) {
	if p.size+len(data) <= maxPeeked && ctx.Err() == nil {
		p.size += len(data)
		p.prefixes[m.Index] = peeked{data, err}
	}
	return data, err
}

// readPrefix reads the first bytes of a member.
func readPrefix(ctx context.Context, m archive.Member) ([]byte, error) {
	r, err := m.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", m.Name, err)
	}
	defer r.Close() //nolint:errcheck // a prefix was read; nothing depends on the rest
	return readHead(m, r)
}

// readHead reads the first bytes of a member that was opened.
func readHead(m archive.Member, r io.Reader) ([]byte, error) {
	least := mediaHead
	if m.Size >= 0 && m.Size < mediaHead {
		least = int(m.Size) + 1 // what is kept of each of a million small members is as small
	}
	head := make([]byte, least)
	k, err := io.ReadFull(r, head)
	if head = head[:k]; err == nil && !isMedia(head) {
		n := int64(PeekSize)
		if m.Size >= 0 && m.Size < n {
			n = max(m.Size, mediaHead) + 1
		}
		buf := append(make([]byte, 0, n), head...)
		k, err = io.ReadFull(r, buf[len(head):n])
		head = buf[:len(head)+k]
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("read %s: %w", m.Name, err)
	}
	return head, err
}

// isMedia tells pictures, recordings and films. Those that are text (SVG) are text.
func isMedia(head []byte) bool {
	switch head[0] {
	case '{', '[', '<', ' ', '\t', '\r', '\n', 0xEF, 'P', 'S':
		return false // JSON, markup, a mark of the byte order, zip, SQLite
	}
	kind, _ := SniffType(head)
	top, sub, _ := strings.Cut(kind, "/")
	return top == "image" && !strings.HasPrefix(sub, "svg") || top == "audio" || top == "video"
}
