package web

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// tusVersion is the version of the protocol.
const tusVersion = "1.0.0"

// describeUploads says what the protocol can do here.
func (p *Page) describeUploads(w http.ResponseWriter, _ *http.Request) {
	for name, value := range map[string]string{
		"Tus-Resumable": tusVersion, "Tus-Version": tusVersion, "Tus-Extension": "creation,termination,expiration", "Tus-Max-Size": strconv.FormatInt(p.o.MaxUpload, 10),
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
	name, set, of := "upload", "", 0
	for pair := range strings.SplitSeq(v.Header.Get("Upload-Metadata"), ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), " ")
		raw, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			continue
		}
		switch key {
		case "filename":
			name = string(raw)
		case "set": // the files that are given together
			set = string(raw)
		case "of":
			of, _ = strconv.Atoi(string(raw)) // 0 is refused below
		}
	}
	if set != "" && (of < 1 || of > maxUploads || len(set) > 64) {
		return wrongError{fmt.Sprintf("At most %d files can be given together here. Put them into one folder or zip.", maxUploads)}
	}
	id, err := p.uploads.begin(v.owner, name, length, set, of)
	if err != nil {
		return err
	}
	w.Header().Set("Location", Base+"tus/"+id)
	w.Header().Set("Upload-Expires", p.o.Now().Add(uploadLife).UTC().Format(http.TimeFormat))
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
	w.Header().Set("Upload-Expires", one.touched.Add(uploadLife).UTC().Format(http.TimeFormat))
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
		if err := p.finishUpload(w, v, id); err != nil {
			return err
		}
	}
	one.describe(w)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// finishUpload makes a drop of a file that is whole, when all that it was given together with are.
func (p *Page) finishUpload(w http.ResponseWriter, v *visit, id string) error {
	ids, paths := p.uploads.complete(id)
	if len(ids) == 0 {
		return nil
	}
	drop, err := p.submit(v.Context(), v.owner, paths)
	if err = errors.Join(err, p.uploads.forget(ids...)); err != nil {
		return err
	}
	w.Header().Set("Pamline-Drop", drop)
	return nil
}

// deleteUpload ends an upload that nobody wants to go on with.
func (p *Page) deleteUpload(w http.ResponseWriter, v *visit) error {
	if err := checkTus(w, v); err != nil {
		return err
	}
	id := v.PathValue("upload")
	one, err := p.uploads.take(v.owner, id)
	if err != nil {
		return err
	}
	defer p.uploads.release(one)
	if err := p.uploads.forget(id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
