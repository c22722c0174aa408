package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
)

// uploads are the files that browsers are sending, by the tus protocol 1.0 (core, creation,
// termination and expiration).
type uploads struct {
	folder string
	most   int64
	newID  func() string
	now    func() time.Time

	mu  sync.Mutex
	all map[string]*upload
}

// upload is a file that is being sent. Its bytes are in a folder of its own, under its name.
type upload struct {
	owner, path  string
	length, have int64
	// set names the files that are given together, and of is how many they are; "" for a file by
	// itself.
	set string
	of  int
	// isWhole: all bytes are there, and it waits for the rest of its set.
	isWhole bool
	// busy: a request writes to it. touched is when the last one did.
	busy    bool
	touched time.Time
}

// Limits of unfinished uploads: how many an owner can have, how long one is kept without a request,
// and after which rest it makes room for a new one. A restart removes all.
const (
	maxUploads    = 20
	uploadLife    = 24 * time.Hour
	uploadResting = 2 * time.Minute
)

func newUploads(folder string, most int64, newID func() string, now func() time.Time) *uploads {
	return &uploads{folder: folder, most: most, newID: newID, now: now, all: map[string]*upload{}}
}

// Close removes all uploads.
func (u *uploads) Close() (err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, one := range u.all {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(one.path)))
		delete(u.all, id)
	}
	return err
}

// begin makes an empty upload of a file, which belongs to a set of files or to none.
func (u *uploads) begin(owner, name string, length int64, set string, of int) (id string, err error) {
	if length < 0 || length > u.most {
		return "", &statusError{http.StatusRequestEntityTooLarge, "This file is too large.", fmt.Sprintf("At most %s can be uploaded here (limits.max_scratch). Use pamline import for it.", sizeOf(u.most))}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.makeRoom(owner, length); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(u.folder, "upload-")
	if err != nil {
		return "", fmt.Errorf("begin upload: %w", err)
	}
	one := &upload{owner: owner, path: filepath.Join(folder, cleanName(name)), length: length, set: set, of: of, touched: u.now()}
	if err := os.WriteFile(one.path, nil, 0o600); err != nil {
		return "", errors.Join(fmt.Errorf("begin upload: %w", err), os.RemoveAll(folder))
	}
	id = u.newID()
	u.all[id] = one
	return id, nil
}

// makeRoom removes uploads that have expired and, if an owner has too many or too large ones, those
// that rest. What an owner has unfinished is no larger than one upload may be.
func (u *uploads) makeRoom(owner string, length int64) error {
	n, bytes := 0, length
	var resting []string
	for id, one := range u.all {
		rest := u.now().Sub(one.touched)
		switch {
		case one.busy:
		case rest >= uploadLife:
			if err := u.removeLocked(id); err != nil {
				return err
			}
			continue
		case rest >= uploadResting && one.owner == owner:
			resting = append(resting, id)
		}
		if one.owner == owner {
			n, bytes = n+1, bytes+one.length
		}
	}
	slices.SortFunc(resting, func(a, b string) int { return u.all[a].touched.Compare(u.all[b].touched) })
	for ; (n >= maxUploads || bytes > u.most) && len(resting) > 0; resting = resting[1:] {
		n, bytes = n-1, bytes-u.all[resting[0]].length
		if err := u.removeLocked(resting[0]); err != nil {
			return err
		}
	}
	if n >= maxUploads || bytes > u.most {
		return &statusError{http.StatusTooManyRequests, "Too many uploads are unfinished.", "Wait until they are finished. Those that nobody goes on with make room after two minutes."}
	}
	return nil
}

func (u *uploads) removeLocked(id string) error {
	one := u.all[id]
	delete(u.all, id)
	return os.RemoveAll(filepath.Dir(one.path))
}

// cleanName is the name of a file without what a file system could take for something else.
func cleanName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"|?*`, r) || r == 0x7f {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	for len(name) > 120 {
		name = strings.ToValidUTF8(name[len(name)-120:], "")
	}
	if name = strings.Trim(name, ". "); name == "" {
		return "upload"
	}
	return name
}

// take reserves an upload of an owner for a request; release gives it back.
func (u *uploads) take(owner, id string) (*upload, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	one := u.all[id]
	if one == nil || one.owner != owner {
		return nil, notFoundError{"There is no such upload."}
	}
	if one.busy {
		return nil, &statusError{http.StatusLocked, "This upload is being written by another request.", ""}
	}
	one.busy, one.touched = true, u.now()
	return one, nil
}

func (u *uploads) release(one *upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	one.busy, one.touched = false, u.now()
}

// end makes the bytes that are there all bytes of an upload whose length was not known.
func (u *uploads) end(one *upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	one.length = one.have
}

// forget removes uploads with their bytes.
func (u *uploads) forget(ids ...string) (err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		if u.all[id] != nil {
			err = errors.Join(err, u.removeLocked(id))
		}
	}
	return err
}

// complete gives the ids and paths of the files that a finished upload was given together with;
// none while one of them is missing.
func (u *uploads) complete(id string) (ids, paths []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	one := u.all[id]
	if one == nil {
		return nil, nil
	}
	one.isWhole = one.have == one.length
	for other, o := range u.all {
		if o.isWhole && (other == id || one.set != "" && o.owner == one.owner && o.set == one.set) {
			ids = append(ids, other)
		}
	}
	if !one.isWhole || len(ids) < one.of {
		return nil, nil
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(u.all[a].path, u.all[b].path) })
	for _, other := range ids {
		paths = append(paths, u.all[other].path)
	}
	return ids, paths
}

// errTooLong is the error of a file that is longer than its upload may be.
var errTooLong = &statusError{http.StatusRequestEntityTooLarge, "This file is too large.", "Use pamline import for it, with a higher limits.max_scratch."}

// add appends bytes to an upload; what came before a connection broke off is kept.
func (one *upload) add(body io.Reader) (err error) {
	f, err := os.OpenFile(one.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(body, one.length-one.have))
	one.have += n
	if more, _ := io.ReadFull(body, make([]byte, 1)); err == nil && more > 0 {
		err = errTooLong
	}
	return errors.Join(err, f.Close())
}

// submit makes one drop of the files that were given together, and asks for its import.
func (p *Page) submit(ctx context.Context, owner string, paths []string) (drop string, err error) {
	rec, err := inbox.TakeIn(ctx, p.o.Store, owner, paths, p.o.Scratch)
	if err != nil {
		return "", err
	}
	_, err = p.o.Client.Ask(ctx, job.Ref{Owner: owner, Drop: rec.Drop}, job.Want{Lane: dispatch.LaneOf(rec.Bytes())})
	return rec.Drop, err
}

// upload accepts the files of a form, for browsers without JavaScript.
func (p *Page) upload(w http.ResponseWriter, v *visit) (err error) {
	patientUpload(w)
	v.Body = http.MaxBytesReader(w, v.Body, p.o.MaxUpload+maxForm)
	form, err := v.MultipartReader()
	if err != nil {
		return wrongError{"Choose a file first."}
	}
	var ids, paths []string
	defer func() { err = errors.Join(err, p.uploads.forget(ids...)) }()
	for left := p.o.MaxUpload; ; {
		part, err := filePart(form)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return uploadError(err)
		}
		id, path, n, err := p.receive(v.owner, part, left)
		if id != "" {
			ids, paths = append(ids, id), append(paths, path)
		}
		if err != nil {
			return uploadError(err)
		}
		left -= n
	}
	if len(paths) == 0 {
		seeOther(w, v, "imports?notice=empty")
		return nil
	}
	drop, err := p.submit(v.Context(), v.owner, paths)
	if err != nil {
		return uploadError(err)
	}
	seeOther(w, v, "imports/%s", drop)
	return nil
}

// receive writes a file of a form of at most so many bytes.
func (p *Page) receive(owner string, part *multipart.Part, most int64) (id, path string, n int64, err error) {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return "", "", 0, wrongError{"The form cannot be read."}
	}
	if id, err = p.uploads.begin(owner, params["filename"], most, "", 0); err != nil {
		return "", "", 0, err
	}
	one, err := p.uploads.take(owner, id)
	if err != nil {
		return id, "", 0, err
	}
	defer p.uploads.release(one)
	err = one.add(part)
	p.uploads.end(one)
	return id, one.path, one.have, err
}

// filePart is the next file of a form, io.EOF if there is none.
func filePart(form *multipart.Reader) (*multipart.Part, error) {
	for {
		part, err := form.NextPart()
		if err != nil {
			return nil, err
		}
		if part.FormName() == "file" && part.FileName() != "" {
			return part, nil
		}
	}
}

func uploadError(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return errTooLong
	}
	return err
}

// patientAnswer lifts the time limit of answers: a large download takes its time.
func patientAnswer(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // as below
}

// patientUpload lifts the time limit of requests: a large file takes its time.
func patientUpload(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a server without deadlines needs none lifted
}
