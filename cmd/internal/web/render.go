package web

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

// pages are the templates by name, each with the frame around it.
var pages = map[string]*template.Template{}

// parseTemplates parses all pages once.
var parseTemplates = sync.OnceValue(func() error {
	frame, err := template.New("frame").Funcs(template.FuncMap{
		"day": dayOf, "minute": minuteOf, "count": countOf, "plural": plural, "bytes": sizeOf, "markdown": renderMarkdown, "short": shorten, "provider": providerName,
		"query": func(base url.Values, pairs ...string) string { return withQuery(base, pairs...) },
	}).ParseFS(templateFiles, "templates/frame.html")
	if err != nil {
		return err
	}
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, _ := strings.CutSuffix(e.Name(), ".html")
		if name == "frame" {
			continue
		}
		copied, err := frame.Clone()
		if err == nil {
			pages[name], err = copied.ParseFS(templateFiles, "templates/"+e.Name())
		}
		if err != nil {
			return fmt.Errorf("parse page %s: %w", name, err)
		}
	}
	return nil
})

// section is an entry of the menu.
type section struct {
	Name, Path string
	Current    bool
}

var menu = []section{
	{"Conversations", "conversations", false}, {"Memories", "memories", false}, {"Review", "review", false},
	{"Timeline", "timeline", false}, {"Imports", "imports", false}, {"Store", "store", false}, {"Operations", "operations", false},
}

// undoable are the notices after which the change can be undone.
var undoable = []string{"confirm", "retract", "archive", "restore", "replace", "private", "share", "withhold", "release"}

// frameData is what every page gets.
type frameData struct {
	Title  string
	Base   string
	Owner  string
	Menu   []section
	Reload bool
	Words  string
	Notice string
	// Undo is the memory whose last change the notice offers to undo.
	Undo string
	// Back is the list that a form of the notice goes back to.
	Back string
	Data any
}

// notices are what a page says after a form, by the word in its address.
var notices = map[string]string{
	"confirm": "Confirmed. Later imports keep this.", "retract": "Marked as not true any more. It comes back if you say it again later.",
	"archive": "Archived.", "restore": "The memory is active again.", "undo": "Undone, as if it had not been done.", "replace": "Corrected. Later imports keep this.",
	"private": "This memory is private now.", "share": "This memory is not private any more.",
	"withhold": "This memory stays out of exports.", "release": "This memory may be in exports again.",
	"retry": "The failed work is being tried again.", "again": "The archive is being read again.", "valid": "The store is valid.", "empty": "Choose a file first.",
}

// render writes a page. v is nil for who was not let in.
func (p *Page) render(w http.ResponseWriter, v *visit, code int, name, title string, data any) {
	f := frameData{Title: title, Base: Base, Data: data}
	if m, ok := data.(map[string]any); ok {
		f.Reload, _ = m["Reload"].(bool)
	}
	if v != nil {
		f.Owner, f.Words, f.Notice = v.owner, v.URL.Query().Get("q"), notices[v.URL.Query().Get("notice")]
		if of := v.URL.Query().Get("of"); slices.Contains(undoable, v.URL.Query().Get("notice")) && uuid.Validate(of) == nil {
			f.Undo = of
			if list := strings.TrimPrefix(v.URL.Path, Base); list == "review" || list == "memories" {
				f.Back = list
			}
		}
		for _, s := range menu {
			if v.isOperator && s.Path != "operations" {
				continue
			}
			s.Current = strings.HasPrefix(v.URL.Path, Base+s.Path)
			f.Menu = append(f.Menu, s)
		}
	}
	var body bytes.Buffer
	if err := pages[name].ExecuteTemplate(&body, "frame", f); err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(body.Bytes()) // the browser may be gone; nobody else wants to know
}

// staticTypes are the files that a page loads.
var staticTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func serveStatic(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	body, err := staticFiles.ReadFile("static/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", staticTypes[path.Ext(name)])
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(body) // as above
}

// withQuery changes parameters of an address; an empty value removes one.
func withQuery(base url.Values, pairs ...string) string {
	out := url.Values{}
	for name, values := range base {
		if name != "notice" && name != "of" {
			out[name] = values
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		out.Del(pairs[i])
		if pairs[i+1] != "" {
			out.Set(pairs[i], pairs[i+1])
		}
	}
	return "?" + out.Encode()
}

// errRange is returned for a number of a page that is none.
var errRange = errors.New("there is no such page")
