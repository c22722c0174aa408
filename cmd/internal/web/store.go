package web

import (
	"cmp"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/state"
)

// usage is how much storage a kind of objects takes.
type usage struct {
	Name, About string
	Objects     int
	Bytes       int64
}

// kinds of objects below the folder of an owner, by the first part of their keys.
var kinds = []usage{
	{Name: "conversations", About: "Conversations"}, {Name: "assets", About: "Images and files"}, {Name: "exports", About: "Published stores"},
	{Name: "imports", About: "What was read from exports, kept to compute the store again"}, {Name: "edits", About: "Your own changes"}, {Name: "", About: "Everything else"},
}

// store shows what the store has and takes.
func (p *Page) store(w http.ResponseWriter, v *visit) error { return p.showStore(w, v, nil) }

func (p *Page) showStore(w http.ResponseWriter, v *visit, checked *validate.Report) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	used, total, err := p.usage(v)
	if err != nil {
		return err
	}
	data := map[string]any{
		"Head": c.head, "Conversations": len(c.talks), "Memories": len(c.notes), "Used": used, "Total": total, "CanExport": p.o.Export != nil,
		"Statuses": optionsOf(c.notes, "", asIs, func(n *note) []string { return []string{n.Status} }),
	}
	if checked != nil {
		data["Checked"], data["Verdict"] = checked, checked.Verdict().String()
	}
	p.render(w, v, http.StatusOK, "store", "Store", data)
	return nil
}

// usage adds up the objects of an owner.
func (p *Page) usage(v *visit) (all []usage, total int64, err error) {
	all = slices.Clone(kinds)
	add := func(prefix string, kindOf func(rest string) string) error {
		for o, err := range p.o.Store.List(v.Context(), prefix) {
			if err != nil {
				return err
			}
			kind := kindOf(strings.TrimPrefix(o.Key, prefix))
			at := slices.IndexFunc(all, func(u usage) bool { return u.Name == kind })
			if at < 0 {
				at = len(all) - 1
			}
			all[at].Objects, all[at].Bytes, total = all[at].Objects+1, all[at].Bytes+o.Size, total+o.Size
		}
		return nil
	}
	err = add(state.OwnerKey(v.owner, ""), func(rest string) string { kind, _, _ := strings.Cut(rest, "/"); return kind })
	return slices.DeleteFunc(all, func(u usage) bool { return u.Objects == 0 }), total, err
}

// validate checks the store, and shows what is wrong with it.
func (p *Page) validate(w http.ResponseWriter, v *visit) (err error) {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(p.o.Scratch, "validate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	report, err := validate.Run(v.Context(), validate.Target{FS: c.bundle.FS()}, validate.Options{Scratch: folder})
	if err != nil {
		return err
	}
	return p.showStore(w, v, &report)
}

// export sends a bundle to give away.
func (p *Page) export(w http.ResponseWriter, v *visit) error {
	if p.o.Export == nil {
		return notFoundError{"There is no export here: use pamline export."}
	}
	if _, err := v.shelf.catalog(v.Context(), false); err != nil {
		return err
	}
	started := &lateHeader{ResponseWriter: w, name: "pamline-" + v.owner + "-" + p.o.Now().UTC().Format(time.DateOnly) + ".zip"}
	err := p.o.Export(v.Context(), v.owner, started)
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

// shownTypes are the files that a browser shows in the page. Everything else is a download.
var shownTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".m4a": "audio/mp4", ".mp4": "video/mp4", ".webm": "video/webm",
}

// asset sends a file of the store that a conversation refers to.
func (p *Page) asset(w http.ResponseWriter, v *visit) error {
	name := v.PathValue("path")
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	if strings.ContainsAny(name, "/\\") { // assets have names of digests, in one folder
		return notFoundError{"There is no such file."}
	}
	f, err := c.bundle.Open("assets/" + name)
	if err != nil {
		return notFoundError{"There is no such file."}
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ext := ""
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		ext = strings.ToLower(name[dot:])
	}
	kind, isShown := shownTypes[ext]
	w.Header().Set("Content-Type", cmp.Or(kind, "application/octet-stream"))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if !isShown {
		w.Header().Set("Content-Disposition", "attachment")
	}
	copyFile(w, f)
	return nil
}
