package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/pamline/pamline/interop/render"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/validate"
)

// choreValidate is the kind of the work that validates.
const choreValidate = "validate"

// validate begins to check the store. The page of the store shows the result.
func (p *Page) validate(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), true)
	if err != nil {
		return err
	}
	running := p.chores.start(v.owner, choreValidate, func(ctx context.Context) (_ any, err error) {
		folder, err := os.MkdirTemp(p.o.Scratch, "validate-")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		return validate.Run(ctx, validate.Target{FS: exportFS{ctx: ctx, store: c.store, owner: c.owner, head: c.head}}, validate.Options{Scratch: folder})
	})
	running.wait(v.Context(), p.o.Patience.Work)
	seeOther(w, v, "store?checked=yes")
	return nil
}

// showValidation adds the running validation, or its result, to the page of the store.
func (p *Page) showValidation(v *visit, data map[string]any) {
	last := p.chores.of(v.owner, choreValidate)
	switch {
	case last == nil || v.URL.Query().Get("checked") == "":
	case last.isRunning():
		data["Checking"], data["Reload"] = true, true
	case last.err != nil:
		data["CheckProblem"] = last.err.Error()
	default:
		if report, ok := last.result.(validate.Report); ok {
			data["Checked"], data["Verdict"] = &report, report.Verdict().String()
		}
	}
}

// export sends a bundle to give away.
func (p *Page) export(w http.ResponseWriter, v *visit) error {
	if p.o.Export == nil {
		return notFoundError{"There is no export here: use pamline export."}
	}
	return p.sendZip(w, v, "", func(to io.Writer) error { return p.o.Export(v.Context(), v.owner, nil, to) })
}

// maxKey is the size of the largest file with a key.
const maxKey = 64 << 10

// sign sends a bundle to give away that is signed: by the key that the form brings, which is not
// kept, or by the key of the owner that the settings name.
func (p *Page) sign(w http.ResponseWriter, v *visit) error {
	if p.o.Export == nil {
		return notFoundError{"There is no export here: use pamline sign."}
	}
	v.Body = http.MaxBytesReader(w, v.Body, maxKey+maxForm)
	form, err := v.MultipartReader()
	if err != nil {
		return wrongError{"Choose the file of a private key first. pamline keygen makes one."}
	}
	key, err := readKeyPart(form)
	if err != nil {
		return err
	}
	if len(key) == 0 && !p.hasKey(v.owner) {
		return wrongError{"Choose the file of a private key first. pamline keygen makes one."}
	}
	return p.sendZip(w, v, "-signed", func(to io.Writer) error { return p.o.Export(v.Context(), v.owner, &SigningKey{key}, to) })
}

// hasKey tells whether the settings name a key that signs for an owner.
func (p *Page) hasKey(owner string) bool { return p.o.HasKey != nil && p.o.HasKey(owner) }

func readKeyPart(form *multipart.Reader) ([]byte, error) {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, wrongError{"The form cannot be read."}
		}
		if part.FormName() != "key" {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(part, maxKey+1))
		if err != nil || len(text) > maxKey {
			return nil, wrongError{"The file is too large to be a key."}
		}
		return text, nil
	}
}

// sendZip sends a zip that is written when it is asked for.
func (p *Page) sendZip(w http.ResponseWriter, v *visit, suffix string, write func(io.Writer) error) error {
	if _, err := v.shelf.catalog(v.Context(), false); err != nil {
		return err
	}
	patientAnswer(w)
	started := &lateHeader{ResponseWriter: w, name: "pamline-" + v.owner + "-" + p.o.Now().UTC().Format(time.DateOnly) + suffix + ".zip"}
	err := write(started)
	if err != nil && started.begun {
		panic(http.ErrAbortHandler) // the browser must not take a part for the whole
	}
	return err
}

// lateHeader says that an answer is a download with the first byte of it: until then, an error can
// be shown as a page.
type lateHeader struct {
	http.ResponseWriter
	name  string
	begun bool
}

func (l *lateHeader) Write(b []byte) (int, error) {
	if !l.begun {
		l.begun = true
		l.Header().Set("Content-Type", "application/zip")
		l.Header().Set("Content-Disposition", `attachment; filename="`+l.name+`"`)
	}
	return l.ResponseWriter.Write(b)
}

// assistantNames are the forms that memories can be rendered in.
var assistantNames = map[string]string{"chatgpt": "ChatGPT", "claude": "Claude", "gemini": "Gemini", "copilot": "Copilot", "system-prompt": "a system prompt", "markdown": "Markdown"}

func assistantForms(chosen string) (forms []option) {
	for _, name := range render.Targets() {
		if text, ok := assistantNames[name]; ok {
			forms = append(forms, option{Value: name, Name: text, Chosen: name == chosen})
		}
	}
	return forms
}

// renderFor shows the memories in the form that an assistant takes, to copy or to download.
func (p *Page) renderFor(w http.ResponseWriter, v *visit) error {
	q := v.URL.Query()
	form := q.Get("for")
	forms := assistantForms(form)
	if form == "" {
		form = forms[0].Value
	} else if !slices.ContainsFunc(forms, func(o option) bool { return o.Chosen }) {
		return wrongError{"There is no such form."}
	}
	o := render.Options{Sensitive: q.Get("sensitive") == "yes", Sources: q.Get("sources") == "yes"}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 1<<24 {
			return wrongError{"The limit is a number of characters."}
		}
		o.Limit = n
	}
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	list, err := c.chosenMemories(o)
	if err != nil {
		return err
	}
	r, err := render.Text(list, form, o)
	if err != nil {
		return fmt.Errorf("render memories: %w", err)
	}
	if q.Get("download") == "yes" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="memories-for-`+form+`.txt"`)
		_, _ = io.WriteString(w, r.Text) // the browser may be gone
		return nil
	}
	p.render(w, v, http.StatusOK, "render", "Memories for "+assistantNames[form], map[string]any{
		"Forms": forms, "Result": r, "Query": q, "Name": assistantNames[form], "Download": withQuery(q, "for", form, "download", "yes"), "Empty": len(list) == 0,
	})
	return nil
}

// chosenMemories reads the memories to render.
func (c *catalog) chosenMemories(o render.Options) (list []render.Memory, err error) {
	f, err := c.bundle.OpenStore()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = pamio.ReadStore(f, pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		if err == nil {
			if chosen, ok := o.Choose(m); ok {
				list = append(list, chosen)
			}
		}
		return err
	}})
	if err != nil {
		return nil, fmt.Errorf("render memories: %w", err)
	}
	return list, nil
}
