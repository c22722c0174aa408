package providers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// PeekSize is how much of a member is looked at to recognise it, in bytes.
const PeekSize = 64 << 10

// Options of a detection.
type Options struct {
	// Importer pins one importer, by version ("chatgpt-importer/2026.07") or by name; "" lets the content decide among the
	// newest of each.
	Importer string
	Limits   Limits
}

// Detected is an importer and what it claims.
type Detected struct {
	Importer Importer
	Claim    Claim
}

// Detection says who reads what of an archive. Every member is in exactly one claim, or in Unclaimed with the reason.
type Detection struct {
	Claims    []Detected
	Unclaimed []Refusal
}

// UnrecognisedError is returned when no importer can read anything of an archive.
type UnrecognisedError struct {
	// Seen describes members for a person, a bounded number of them.
	Seen []string
	// More counts the members that Seen leaves out.
	More int
}

func (e *UnrecognisedError) Error() string {
	msg := "recognise archive: no known export format in it"
	if len(e.Seen) == 0 {
		return msg + "; it has no files"
	}
	for i, s := range e.Seen {
		if i == 0 {
			msg += "; seen: "
		} else {
			msg += "; "
		}
		msg += s
	}
	if e.More > 0 {
		msg += fmt.Sprintf("; and %d more", e.More)
	}
	return msg
}

// maxSeen bounds the members that an UnrecognisedError describes.
const maxSeen = 12

// Detect asks the importers what they will read of an archive. An archive in which nobody claims anything gives an
// *UnrecognisedError, unless all it has is empty lists: then there is nothing to claim and nothing wrong.
func (r *Registry) Detect(ctx context.Context, a *archive.Archive, o Options) (*Detection, error) {
	active, err := r.active(o.Importer)
	if err != nil {
		return nil, err
	}
	peek := newPeeks().peek
	d := &Detection{}
	taken := make(map[int]bool, len(a.Members))
	refused := map[int]string{}
	for _, imp := range active {
		free := make([]archive.Member, 0, len(a.Members)-len(taken))
		for _, m := range a.Members {
			if !taken[m.Index] {
				free = append(free, m)
			}
		}
		c, err := imp.Claim(ctx, free, peek, o.Limits.WithDefaults())
		if err != nil {
			return nil, fmt.Errorf("recognise archive as %s: %w", imp.Name(), err)
		}
		for _, ref := range c.Refused {
			refused[ref.Member.Index] = ref.Reason
		}
		if len(c.Members) == 0 {
			continue
		}
		for _, m := range c.Members {
			taken[m.Member.Index] = true
		}
		d.Claims = append(d.Claims, Detected{imp, c})
	}
	for _, m := range a.Members {
		if taken[m.Index] {
			continue
		}
		reason := refused[m.Index]
		if reason == "" {
			if reason, err = describe(ctx, m, peek); err != nil {
				return nil, err
			}
		}
		d.Unclaimed = append(d.Unclaimed, Refusal{Member: m, Reason: reason})
	}
	if len(d.Claims) == 0 && !d.onlyEmpty() {
		e := &UnrecognisedError{}
		for _, u := range d.Unclaimed {
			if len(e.Seen) == maxSeen {
				e.More++
				continue
			}
			e.Seen = append(e.Seen, u.Member.Name+": "+u.Reason)
		}
		return nil, e
	}
	return d, nil
}

// onlyEmpty tells whether there are members and all of them are empty lists.
func (d *Detection) onlyEmpty() bool {
	for _, u := range d.Unclaimed {
		if u.Reason != emptyMember {
			return false
		}
	}
	return len(d.Unclaimed) > 0
}

// peeks keeps what was read of each member, so that several importers cost one read.
type peeks struct {
	mu   sync.Mutex
	seen map[int]peeked
	size int
}

type peeked struct {
	data []byte
	err  error
}

// maxPeeked bounds the memory of kept prefixes, in bytes; beyond it members are read again.
const maxPeeked = 16 << 20

func newPeeks() *peeks { return &peeks{seen: map[int]peeked{}} }

func (p *peeks) peek(ctx context.Context, m archive.Member) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if got, ok := p.seen[m.Index]; ok {
		return got.data, got.err
	}
	data, err := readPrefix(ctx, m)
	if p.size+len(data) <= maxPeeked {
		p.size += len(data)
		p.seen[m.Index] = peeked{data, err}
	}
	return data, err
}

// readPrefix reads up to PeekSize bytes. What could be read before an error is given with the error.
func readPrefix(ctx context.Context, m archive.Member) ([]byte, error) {
	r, err := m.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", m.Name, err)
	}
	defer r.Close() //nolint:errcheck // a prefix was read; nothing depends on the rest
	n := int64(PeekSize)
	if m.Size >= 0 && m.Size < n {
		n = m.Size + 1
	}
	buf := make([]byte, n)
	k, err := io.ReadFull(r, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("read %s: %w", m.Name, err)
	}
	return buf[:k], err
}

var _ importer.Peeker = (*peeks)(nil).peek
