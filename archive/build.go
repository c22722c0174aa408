package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// place is where an entry lies: its part, and the archives around it.
type place struct {
	part   int
	label  string // for errors
	prefix string // names of the inner archives, each with a slash
	depth  int
}

// entry is a member before it is one.
type entry struct {
	at         place
	name       string
	size       int64 // -1: unknown
	compressed int64 // bytes it takes in the archive
	offset     int64 // of its header in the archive
	crc        uint32
	hasCRC     bool
	cut        bool   // the archive ends inside it
	err        *Error // known to be unreadable
	meter      *meter // when size is unknown
	// body reads the content, decompressed and unguarded.
	body func(context.Context) (io.ReadCloser, error)
	// direct gives random access to the content where it lies uncompressed; may be nil.
	direct func(context.Context) (Source, error)
}

func (e *entry) fail(code Code, reason, hint string) *Error {
	return &Error{Code: code, Archive: e.at.label, Member: e.name, Offset: e.offset, Reason: reason, Hint: hint}
}

// builder collects the members of an archive.
type builder struct {
	ctx context.Context
	sh  *shared
	a   *Archive
	// given is the size in bytes of what was dropped.
	given int64
}

func (b *builder) refuse(e *Error) {
	b.a.RefusedCount++
	if len(b.a.Refused) < MaxRefused {
		b.a.Refused = append(b.a.Refused, e)
	}
}

func (b *builder) leaveOut(what string) {
	if b.a.LeftOut == nil {
		b.a.LeftOut = map[string]int{}
	}
	b.a.LeftOut[what]++
}

// add takes one entry in: as a member, as an inner archive's members, or as a refusal. Its errors
// end the archive.
func (b *builder) add(e *entry) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if isDir(e.name) {
		b.leaveOut("directory")
		return nil
	}
	name, reason := cleanName(e.name, b.sh.limits.MaxNameLength-len(e.at.prefix))
	if reason != "" {
		shown := []rune(e.name)
		if len(shown) > 80 {
			shown = append(shown[:80], '…')
		}
		e.name = string(shown)
		b.refuse(e.fail(CodeBadName, reason, ""))
		return nil
	}
	if isJunk(name) {
		b.leaveOut("junk")
		return nil
	}
	e.name = e.at.prefix + name
	if len(b.a.Members) >= b.sh.limits.MaxMembers {
		return b.tooMany(e.at)
	}
	if err := b.measure(e); err != nil {
		return err
	}
	if e.err == nil && mayNest(name) {
		done, err := b.nest(e)
		if done || err != nil {
			return err
		}
	}
	b.a.Members = append(b.a.Members, Member{Name: e.name, Size: e.size, Index: len(b.a.Members), Part: e.at.part, open: b.opener(e)})
	return nil
}

func (b *builder) tooMany(at place) *Error {
	return &Error{Code: CodeTooMany, Archive: at.label, Reason: fmt.Sprintf("it has more than %d members", b.sh.limits.MaxMembers), Hint: hintLimit}
}

// measure holds the declared size against the limits. What declares nothing is counted when it is
// read. The error is about the archive as a whole.
func (b *builder) measure(e *entry) error {
	l := b.sh.limits
	switch {
	case e.err != nil:
	case e.size < 0:
		e.meter = &meter{}
	case e.size > l.MaxMemberSize:
		e.err = e.fail(CodeTooLarge, fmt.Sprintf("it is larger than %d bytes", l.MaxMemberSize), hintLimit)
	case e.size > l.MaxTotal-b.sh.total.Load():
		e.err = e.fail(CodeTooLarge, fmt.Sprintf("the archive holds more than %d bytes with it", l.MaxTotal), hintLimit)
	case e.size > RatioFloor && e.size/max(e.compressed, 1) >= l.MaxRatio:
		e.err = e.fail(CodeRatio, fmt.Sprintf("it says that it grows to more than %d times its compressed size", l.MaxRatio), hintLimit)
	default:
		total := b.sh.total.Add(e.size)
		if total > TotalFloor && total/max(b.given, 1) >= l.MaxRatio {
			return &Error{Code: CodeRatio, Archive: e.at.label, Reason: fmt.Sprintf("it would unpack to more than %d times its size", l.MaxRatio), Hint: hintLimit}
		}
	}
	return nil
}

func (b *builder) opener(e *entry) func(context.Context) (io.ReadCloser, error) {
	sh := b.sh
	return func(ctx context.Context) (io.ReadCloser, error) {
		if e.err != nil {
			return nil, e.err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		body, err := e.body(ctx)
		if err != nil {
			return nil, err
		}
		return newGuard(ctx, body, e, sh), nil
	}
}

// nest opens an entry that is a zip itself. done tells that the entry was dealt with.
func (b *builder) nest(e *entry) (done bool, err error) {
	src, err := b.innerZip(e)
	var bad *Error
	switch {
	case errors.As(err, &bad):
		b.refuse(bad)
		return true, nil
	case err != nil:
		return true, err
	case src == nil:
		return false, nil
	}
	members, truncated := len(b.a.Members), b.a.Truncated
	at := place{part: e.at.part, label: e.at.label + "/" + e.name[len(e.at.prefix):], prefix: e.name + "/", depth: e.at.depth + 1}
	err = b.zip(src, at)
	if errors.As(err, &bad) {
		b.a.Members, b.a.Truncated = b.a.Members[:members], truncated
		b.refuse(bad)
		return true, nil
	}
	return true, err
}

// innerZip gives random access to an entry if it is a zip, else nil.
func (b *builder) innerZip(e *entry) (Source, error) {
	r, err := b.opener(e)(b.ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, 4)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !isZipMagic(head) {
		return nil, nil
	}
	if e.at.depth >= b.sh.limits.MaxNesting {
		return nil, e.fail(CodeNesting, fmt.Sprintf("it is a zip in a zip, deeper than %d levels", max(b.sh.limits.MaxNesting, 0)), "unpack it and import its content")
	}
	if e.direct != nil {
		return e.direct(b.ctx)
	}
	f, err := b.sh.scratch.create()
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(head[:n]); err != nil {
		return nil, b.scratchError(e, err)
	}
	if _, err := io.Copy(f, r); err != nil {
		return nil, b.scratchError(e, err)
	}
	return f.section(0, f.size), nil
}

func (b *builder) scratchError(e *entry, err error) error {
	if errors.Is(err, errScratchFull) {
		return e.fail(CodeTooLarge, fmt.Sprintf("it takes more than %d bytes of scratch space", b.sh.limits.MaxScratch), hintLimit)
	}
	return err
}
