package web

import (
	"bytes"
	"encoding/base64"
	"errors"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

func tus(headers map[string]string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Tus-Resumable", tusVersion)
		for name, value := range headers {
			r.Header.Set(name, value)
		}
	}
}

func TestAnUploadGoesOnWhereItBrokeOff(t *testing.T) {
	s := serveSite(t, 1000)
	v := s.letIn(t, "ann")
	name := base64.StdEncoding.EncodeToString([]byte("../../my export?.zip"))
	code, _, h := v.send(http.MethodPost, Base+"tus", "", tus(map[string]string{"Upload-Length": "10", "Upload-Metadata": "other eA==,filename " + name}))
	place := h.Get("Location")
	if code != http.StatusCreated || !strings.HasPrefix(place, Base+"tus/") {
		t.Fatalf("%d %q", code, place)
	}
	patch := func(offset, body string) int {
		code, _, _ := v.send(http.MethodPatch, place, body, tus(map[string]string{"Upload-Offset": offset, "Content-Type": "application/offset+octet-stream"}))
		return code
	}
	if got := []int{patch("0", "abcd"), patch("0", "abcd"), patch("4", "efghijklmnop"), patch("x", "e")}; got[0] != 204 || got[1] != 409 || got[2] != 413 || got[3] != 409 {
		t.Error(got)
	}
	if code, _, h := v.send(http.MethodHead, place, "", tus(nil)); code != http.StatusOK || h.Get("Upload-Offset") != "4" || h.Get("Upload-Length") != "10" {
		t.Errorf("%d %v", code, h)
	}
	one, err := s.uploads.take("ann", strings.TrimPrefix(place, Base+"tus/"))
	if err != nil || filepath.Base(one.path) != "my export_.zip" {
		t.Fatalf("%+v, %v", one, err)
	}
	if text, err := os.ReadFile(one.path); err != nil || string(text) != "abcd" {
		t.Errorf("%q, %v", text, err)
	}
	if code := patch("4", "e"); code != http.StatusLocked {
		t.Errorf("two requests write at once: %d", code)
	}
}

func TestUploadsThatAreTooLargeOrTooManyAreRefused(t *testing.T) {
	s := serveSite(t, 1000)
	v := s.letIn(t, "ann")
	create := func(length string) int {
		code, _, _ := v.send(http.MethodPost, Base+"tus", "", tus(map[string]string{"Upload-Length": length}))
		return code
	}
	for length, want := range map[string]int{"1001": 413, strconv.FormatInt(1<<62, 10): 413, "-1": 400, "": 400, "x": 400} {
		if code := create(length); code != want {
			t.Errorf("%q: %d, want %d", length, code, want)
		}
	}
	for range maxUploads {
		if code := create("10"); code != http.StatusCreated {
			t.Fatal(code)
		}
	}
	if code := create("10"); code != http.StatusTooManyRequests {
		t.Error(code)
	}
	if code, _, _ := v.send(http.MethodPost, Base+"tus", "", nil); code != http.StatusPreconditionFailed {
		t.Errorf("without a version: %d", code)
	}
	code, _, h := v.send(http.MethodOptions, Base+"tus", "", nil)
	if code != http.StatusNoContent || h.Get("Tus-Extension") != "creation,termination,expiration" || h.Get("Tus-Max-Size") != "1000" {
		t.Errorf("%d %v", code, h)
	}
}

func TestAFormThatIsTooLargeOrEmptyImportsNothing(t *testing.T) {
	s := serveSite(t, 1000)
	v := s.letIn(t, "ann")
	for size, want := range map[int]int{0: http.StatusOK, 1000 + 2*maxForm: http.StatusRequestEntityTooLarge} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		if size > 0 {
			part, err := form.CreateFormFile("file", "a.zip")
			if err == nil {
				_, err = part.Write(make([]byte, size))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := form.Close(); err != nil {
			t.Fatal(err)
		}
		code, text, _ := v.send(http.MethodPost, Base+"upload", body.String(), func(r *http.Request) { r.Header.Set("Content-Type", form.FormDataContentType()) })
		if code != want {
			t.Errorf("%d bytes: %d %s", size, code, text)
		}
	}
	for o, err := range s.store.List(t.Context(), "inbox/") {
		t.Errorf("%s, %v", o.Key, err)
	}
	if left, err := filepath.Glob(filepath.Join(s.o.Scratch, "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
}

func word(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestFilesThatAreGivenTogetherWaitForOneAnother(t *testing.T) {
	s := serveSite(t, 1000)
	v := s.letIn(t, "ann")
	var places []string
	for _, name := range []string{"a.zip", "b.zip"} {
		_, _, h := v.send(http.MethodPost, Base+"tus", "", tus(map[string]string{"Upload-Length": "3", "Upload-Metadata": "filename " + word(name) + ",set " + word("s") + ",of " + word("2")}))
		places = append(places, h.Get("Location"))
	}
	code, _, h := v.send(http.MethodPatch, places[0], "abc", tus(map[string]string{"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}))
	if code != http.StatusNoContent || h.Get("Pamline-Drop") != "" || h.Get("Upload-Expires") == "" {
		t.Errorf("%d %v", code, h)
	}
	second := strings.TrimPrefix(places[1], Base+"tus/")
	if ids, _ := s.uploads.complete(second); ids != nil {
		t.Errorf("%v is complete without its bytes", ids)
	}
	one, err := s.uploads.take("ann", second)
	if err == nil {
		err = one.add(strings.NewReader("def"))
		s.uploads.release(one)
	}
	ids, paths := s.uploads.complete(second)
	if err != nil || len(ids) != 2 || filepath.Base(paths[0]) == filepath.Base(paths[1]) {
		t.Errorf("%v %v, %v", ids, paths, err)
	}
	if code, _, _ := v.send(http.MethodPost, Base+"tus", "", tus(map[string]string{"Upload-Length": "3", "Upload-Metadata": "set " + word("s") + ",of " + word("999")})); code != http.StatusBadRequest {
		t.Errorf("a set of too many files: %d", code)
	}
	if code, _, _ := v.send(http.MethodDelete, places[0], "", tus(nil)); code != http.StatusNoContent {
		t.Errorf("delete: %d", code)
	}
	if code, _, _ := v.send(http.MethodHead, places[0], "", tus(nil)); code != http.StatusNotFound {
		t.Errorf("after the deletion: %d", code)
	}
	if left, err := filepath.Glob(filepath.Join(s.o.Scratch, "upload-*")); err != nil || len(left) != 1 {
		t.Errorf("%q, %v", left, err)
	}
}

func TestUploadsThatRestMakeRoomAndExpire(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	u := newUploads(t.TempDir(), 100, uuid.NewString, func() time.Time { return now })
	begin := func(owner string, length int64) error {
		t.Helper()
		_, err := u.begin(owner, "a.zip", length, "", 0)
		return err
	}
	if err := errors.Join(begin("ann", 60), begin("bob", 100)); err != nil {
		t.Fatal(err)
	}
	if begin("ann", 60) == nil {
		t.Error("an owner has more unfinished than one upload may be")
	}
	now = now.Add(uploadResting)
	if err := begin("ann", 60); err != nil || len(u.all) != 2 {
		t.Errorf("%d uploads, %v", len(u.all), err)
	}
	now = now.Add(uploadLife)
	if err := begin("cat", 1); err != nil || len(u.all) != 1 {
		t.Errorf("%d uploads, %v", len(u.all), err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(u.folder, "*")); err != nil || len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
}
