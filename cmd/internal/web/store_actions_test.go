package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

func TestAStoreIsSignedExportedAndRendered(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "plain words")
	v := s.letIn(t, "ann")
	if code, _ := v.get(Base + "store/export"); code != http.StatusNotFound {
		t.Errorf("an export that nobody makes: %d", code)
	}
	s.o.Export = func(_ context.Context, owner string, sign *SigningKey, w io.Writer) error {
		if sign != nil && string(sign.Text) == "bad" {
			return errors.New("no key")
		}
		text := "zip of " + owner
		if sign != nil {
			text += " signed with " + string(sign.Text)
		}
		_, err := io.WriteString(w, text)
		return err
	}
	code, body, h := v.send(http.MethodGet, Base+"store/export", "", nil)
	if code != http.StatusOK || body != "zip of ann" || !strings.Contains(h.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %s %v", code, body, h)
	}
	for key, want := range map[string]string{"secret": "zip of ann signed with secret", "": "keygen", "bad": "Something went wrong", strings.Repeat("k", maxKey+1): "too large"} {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("key", "me.key")
		if err == nil {
			_, err = io.WriteString(part, key)
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		if _, body, _ := v.send(http.MethodPost, Base+"store/sign", form.String(), func(r *http.Request) { r.Header.Set("Content-Type", w.FormDataContentType()) }); !strings.Contains(body, want) {
			t.Errorf("key %.10q: %.300s", key, body)
		}
	}
	for path, want := range map[string]string{"store/render": "Likes green tea", "store/render?for=claude&limit=5000": "Likes green tea", "store/render?for=what": "no such form", "store/render?limit=x": "number of characters", "store/render?for=markdown&download=yes": "Likes green tea"} {
		if _, body := v.get(Base + path); !strings.Contains(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// The script of the page is small, and nothing needs a framework.
func TestTheScriptIsSmall(t *testing.T) {
	total := int64(0)
	err := fs.WalkDir(staticFiles, "static", func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".js") {
			info, failed := e.Info()
			err = failed
			total += info.Size()
		}
		return err
	})
	if err != nil || total == 0 || total > 40<<10 {
		t.Errorf("%d bytes, %v", total, err)
	}
}
