package opencode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// storage is the files of sessions, by the ids in their names.
type storage struct {
	sessions []*stored
	byID     map[string]*stored
	parts    map[string][]file // by message
	used     map[string]bool   // messages whose parts were read
	roots    map[place]bool
	others   []archive.Member
}

// place is a folder of a part of the drop.
type place struct {
	part   int
	folder string
}

// stored is a session: its file, which may be missing, and its messages.
type stored struct {
	id       string
	info     *archive.Member
	messages []file
}

type file struct {
	id     string
	member archive.Member
}

func newStorage() *storage {
	return &storage{byID: map[string]*stored{}, parts: map[string][]file{}, used: map[string]bool{}, roots: map[place]bool{}}
}

func (s *storage) of(id string) *stored {
	if s.byID[id] == nil {
		s.byID[id] = &stored{id: id}
		s.sessions = append(s.sessions, s.byID[id])
	}
	return s.byID[id]
}

func (s *storage) session(m archive.Member, root, id string) {
	s.roots[place{m.Part, root}] = true
	if x := s.of(id); x.info == nil {
		x.info = &m
	}
}

func (s *storage) message(m archive.Member, session, id string) {
	x := s.of(session)
	x.messages = append(x.messages, file{id, m})
}

func (s *storage) part(m archive.Member, message, id string) {
	s.parts[message] = append(s.parts[message], file{id, m})
}

// split yields a unit for each session, in the order of the archive, and the counts of the rest.
// Messages and parts are in the order of their ids, which begin with the time. It tells whether to
// go on.
func (s *storage) split(ctx context.Context, limits importer.Limits, yield func(importer.Unit, error) bool) bool {
	for _, x := range s.sessions {
		r := sessionReader{ctx: ctx, limits: limits, yield: yield}
		if !r.read(s, x) {
			return false
		}
	}
	lost := 0
	var first archive.Member
	for id, parts := range s.parts {
		if s.used[id] {
			continue
		}
		lost += len(parts)
		for _, p := range parts {
			if first.Name == "" || p.member.Index < first.Index {
				first = p.member
			}
		}
	}
	if lost > 0 && !yield(counted(first, limits, "lost-part", "parts of messages that are not in the drop", lost), nil) {
		return false
	}
	if len(s.others) > 0 {
		return yield(counted(s.others[0], limits, "storage-file", "files of the program without messages: projects, tasks, differences", len(s.others)), nil)
	}
	return true
}

func counted(m archive.Member, limits importer.Limits, code, reason string, n int) importer.Unit {
	return importer.Unit{Member: m, Role: roleOther, Limits: limits, Context: importer.Skip{Code: code, Reason: reason, Count: n}}
}

// sessionReader puts the files of one session together.
type sessionReader struct {
	ctx    context.Context
	limits importer.Limits
	yield  func(importer.Unit, error) bool
	raw    []byte
	tooBig bool
}

func (r *sessionReader) read(s *storage, x *stored) bool {
	byID := func(a, b file) int { return cmp.Or(cmp.Compare(a.id, b.id), a.member.Index-b.member.Index) }
	slices.SortStableFunc(x.messages, byID)
	info := append(pamio.AppendString([]byte(`{"id":`), x.id), '}')
	u := importer.Unit{Role: roleSession, Limits: r.limits}
	if x.info != nil {
		u.Member = *x.info
		data, more := r.file(*x.info, roleSession)
		if !more {
			return false
		}
		if data != nil {
			info = data
		}
	} else {
		u.Member = x.messages[0].member
	}
	r.raw = append(append([]byte(`{"info":`), info...), `,"messages":[`...)
	some := false
	for _, m := range x.messages {
		s.used[m.id] = true
		data, more := r.file(m.member, roleMessage)
		if !more {
			return false
		}
		if data == nil {
			data = append(pamio.AppendString([]byte(`{"id":`), m.id), '}') // its parts are still there
			if len(s.parts[m.id]) == 0 {
				continue
			}
		}
		if some {
			r.raw = append(r.raw, ',')
		}
		some = true
		r.raw = append(append(append(r.raw, `{"info":`...), data...), `,"parts":[`...)
		parts := s.parts[m.id]
		slices.SortStableFunc(parts, byID)
		first := true
		for _, p := range parts {
			data, more := r.file(p.member, rolePart)
			if !more {
				return false
			}
			if data == nil {
				continue
			}
			if !first {
				r.raw = append(r.raw, ',')
			}
			first = false
			r.raw = append(r.raw, data...)
		}
		r.raw = append(r.raw, "]}"...)
		if int64(len(r.raw)) > r.limits.MaxConversation {
			r.tooBig, r.raw = true, r.raw[:0]
		}
	}
	if r.tooBig {
		u.Err = &importer.UnitError{
			Member: u.Member.Name, Code: cut.CodeTooBig,
			Reason: fmt.Sprintf("the session has more bytes than the limit of %d; raise limits.max_conversation to read it", r.limits.MaxConversation),
		}
		return r.yield(u, nil)
	}
	u.Raw = append(r.raw, "]}"...)
	return r.yield(u, nil)
}

// file reads one file as a JSON object, nil for one that cannot be read, which is quarantined
// alone.
func (r *sessionReader) file(m archive.Member, role string) (data []byte, more bool) {
	u := importer.Unit{Member: m, Role: role, Limits: r.limits}
	data, err := cut.ReadAll(r.ctx, u)
	var bad *importer.UnitError
	switch {
	case r.ctx.Err() != nil:
		return nil, r.yield(importer.Unit{}, r.ctx.Err())
	case errors.As(err, &bad):
	case err != nil:
		bad = &importer.UnitError{Member: m.Name, Code: cut.CodeUnread, Reason: "the file cannot be read: " + err.Error()}
	default:
		// The object around a session is three levels more.
		d, err := jsonscan.Parse(data, max(r.limits.MaxDepth-4, 1))
		if err == nil && d.Root().Kind() == jsonscan.Object {
			if memory := r.limits.Memory; memory != nil {
				if err := memory.Hold(r.ctx, int64(len(r.raw)+len(data))); err != nil {
					return nil, r.yield(importer.Unit{}, err)
				}
			}
			return d.Root().Raw(), true
		}
		reason := "the file is not a JSON object"
		if err != nil {
			reason += ": " + err.Error()
		}
		bad = &importer.UnitError{Member: m.Name, Size: int64(len(data)), Code: cut.CodeSyntax, Reason: reason + "; the rest of the session is read"}
	}
	u.Err = bad
	return nil, r.yield(u, nil)
}
