package web

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/inbox"
	"github.com/pamline/pamline/pipeline/job"
)

// uploads are the files that browsers are sending, by the tus protocol 1.0 (core and creation).
type uploads struct {
	folder string
	most   int64
	newID  func() string

	mu  sync.Mutex
	all map[string]*upload
}

// upload is a file that is being sent. Its bytes are in a folder of its own, under its name.
type upload struct {
	owner, path  string
	length, have int64
	// busy: a request writes to it.
	busy bool
}

// maxUploads is how many unfinished uploads an owner can have; a restart removes
// them.
const maxUploads = 20

func newUploads(folder string, most int64, newID func() string) *uploads {
	return &uploads{folder: folder, most: most, newID: newID, all: map[string]*upload{}}
}

// begin makes an empty upload.
func (u *uploads) begin(owner, name string, length int64) (id string, err error) {
	if length < 0 || length > u.most {
		return "", &statusError{http.StatusRequestEntityTooLarge, "This file is too large.", fmt.Sprintf("At most %s can be uploaded here (limits.max_scratch). Use pamline import for it.", sizeOf(u.most))}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	open := 0
	for _, one := range u.all {
		if one.owner == owner {
			open++
		}
	}
	if open >= maxUploads {
		return "", &statusError{http.StatusTooManyRequests, "Too many uploads are unfinished.", "Wait until they are finished, or restart pamline."}
	}
	folder, err := os.MkdirTemp(u.folder, "upload-")
	if err != nil {
		return "", fmt.Errorf("begin upload: %w", err)
	}
	one := &upload{owner: owner, path: filepath.Join(folder, cleanName(name)), length: length}
	if err := os.WriteFile(one.path, nil, 0o600); err != nil {
		return "", fmt.Errorf("begin upload: %w", err)
	}
	id = u.newID()
	u.all[id] = one
	return id, nil
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
	one.busy = true
	return one, nil
}

func (u *uploads) release(one *upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	one.busy = false
}

// forget removes an upload with its bytes.
func (u *uploads) forget(id string) error {
	u.mu.Lock()
	one := u.all[id]
	delete(u.all, id)
	u.mu.Unlock()
	if one == nil {
		return nil
	}
	return os.RemoveAll(filepath.Dir(one.path))
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

// submit makes a drop of a file, and asks for its import.
func (p *Page) submit(ctx context.Context, owner, path string) (drop string, err error) {
	rec, err := inbox.TakeIn(ctx, p.o.Store, owner, []string{path}, p.o.Scratch)
	if err != nil {
		return "", err
	}
	_, err = p.o.Client.Ask(ctx, job.Ref{Owner: owner, Drop: rec.Drop}, job.Want{Lane: dispatch.LaneOf(rec.Bytes())})
	return rec.Drop, err
}

// upload takes a file from a form, for browsers without JavaScript.
func (p *Page) upload(w http.ResponseWriter, v *visit) error {
	patientUpload(w)
	v.Body = http.MaxBytesReader(w, v.Body, p.o.MaxUpload+maxForm)
	form, err := v.MultipartReader()
	if err != nil {
		return wrongError{"Choose a file first."}
	}
	part, err := filePart(form)
	if errors.Is(err, io.EOF) {
		seeOther(w, v, "imports?notice=empty")
		return nil
	}
	if err != nil {
		return uploadError(err)
	}
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return wrongError{"The form cannot be read."}
	}
	id, err := p.uploads.begin(v.owner, params["filename"], p.o.MaxUpload)
	if err != nil {
		return err
	}
	one, err := p.uploads.take(v.owner, id)
	if err == nil {
		err = one.add(part)
	}
	drop := ""
	if err == nil {
		drop, err = p.submit(v.Context(), v.owner, one.path)
	}
	if err = errors.Join(err, p.uploads.forget(id)); err != nil {
		return uploadError(err)
	}
	seeOther(w, v, "imports/%s", drop)
	return nil
}

// filePart is the file of a form, io.EOF if none was chosen.
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

// patientUpload lifts the time limit of requests: a large file takes its time.
func patientUpload(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a server without deadlines needs none lifted
}

// tusVersion is the version of the protocol.
const tusVersion = "1.0.0"

// describeUploads says what the protocol can do here.
func (p *Page) describeUploads(w http.ResponseWriter, _ *http.Request) {
	for name, value := range map[string]string{
		"Tus-Resumable": tusVersion, "Tus-Version": tusVersion, "Tus-Extension": "creation", "Tus-Max-Size": strconv.FormatInt(p.o.MaxUpload, 10),
	} {
		w.Header().Set(name, value)
	}
	w.WriteHeader(http.StatusNoContent)
}

// checkTus requires the version of the protocol.
func checkTus(w http.ResponseWriter, v *visit) error {
	w.Header().Set("Tus-Resumable", tusVersion)
	if v.Header.Get("Tus-Resumable") != tusVersion {
		w.Header().Set("Tus-Version", tusVersion)
		return &statusError{http.StatusPreconditionFailed, "Uploads need version 1.0.0 of the tus protocol.", ""}
	}
	return nil
}

// createUpload begins an upload.
func (p *Page) createUpload(w http.ResponseWriter, v *visit) error {
	if err := checkTus(w, v); err != nil {
		return err
	}
	length, err := strconv.ParseInt(v.Header.Get("Upload-Length"), 10, 64)
	if err != nil || length < 0 {
		return wrongError{"Upload-Length is missing."}
	}
	name := "upload"
	for pair := range strings.SplitSeq(v.Header.Get("Upload-Metadata"), ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), " ")
		if raw, err := base64.StdEncoding.DecodeString(value); err == nil && key == "filename" {
			name = string(raw)
		}
	}
	id, err := p.uploads.begin(v.owner, name, length)
	if err != nil {
		return err
	}
	w.Header().Set("Location", Base+"tus/"+id)
	w.WriteHeader(http.StatusCreated)
	return nil
}

// headUpload says how much of an upload is there.
func (p *Page) headUpload(w http.ResponseWriter, v *visit) error {
	if err := checkTus(w, v); err != nil {
		return err
	}
	one, err := p.uploads.take(v.owner, v.PathValue("upload"))
	if err != nil {
		return err
	}
	defer p.uploads.release(one)
	one.describe(w)
	w.WriteHeader(http.StatusOK)
	return nil
}

func (one *upload) describe(w http.ResponseWriter) {
	w.Header().Set("Upload-Offset", strconv.FormatInt(one.have, 10))
	w.Header().Set("Upload-Length", strconv.FormatInt(one.length, 10))
}

// patchUpload adds bytes to an upload. The last ones make it a drop; Pamline-Drop names it.
func (p *Page) patchUpload(w http.ResponseWriter, v *visit) error {
	if err := checkTus(w, v); err != nil {
		return err
	}
	if v.Header.Get("Content-Type") != "application/offset+octet-stream" {
		return &statusError{http.StatusUnsupportedMediaType, "An upload has the type application/offset+octet-stream.", ""}
	}
	id := v.PathValue("upload")
	one, err := p.uploads.take(v.owner, id)
	if err != nil {
		return err
	}
	defer p.uploads.release(one)
	offset, err := strconv.ParseInt(v.Header.Get("Upload-Offset"), 10, 64)
	if err != nil || offset != one.have {
		return &statusError{http.StatusConflict, "The upload goes on from another place.", ""}
	}
	if v.ContentLength > one.length-one.have {
		return &statusError{http.StatusRequestEntityTooLarge, "The upload is longer than it said.", ""}
	}
	patientUpload(w)
	if err := one.add(v.Body); errors.Is(err, errTooLong) {
		return errors.Join(err, p.uploads.forget(id))
	} else if err != nil {
		return wrongError{"The upload broke off; it can go on from where it is."}
	}
	if one.have == one.length {
		drop, err := p.submit(v.Context(), v.owner, one.path)
		if err = errors.Join(err, p.uploads.forget(id)); err != nil {
			return err
		}
		w.Header().Set("Pamline-Drop", drop)
	}
	one.describe(w)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
