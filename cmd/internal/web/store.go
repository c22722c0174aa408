package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
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

// storageUse is how much storage an owner takes.
type storageUse struct {
	Kinds []usage
	Total int64
}

// choreCount is the kind of the work that counts storage.
const choreCount = "count"

// store shows what the store has and takes.
func (p *Page) store(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	data := map[string]any{
		"Head": c.head, "Conversations": len(c.talks), "Memories": len(c.notes), "CanExport": p.o.Export != nil, "CanErase": p.o.Eraser != nil, "HasKey": p.hasKey(v.owner),
		"Statuses": c.choices.statuses, "Forms": assistantForms(""),
	}
	if used := p.countStorage(v); used != nil {
		data["Used"], data["Total"] = used.Kinds, used.Total
	} else {
		data["Counting"], data["Reload"] = true, true
	}
	p.showValidation(v, data)
	p.render(w, v, http.StatusOK, "store", "Store", data)
	return nil
}

// countStorage gives what an owner's objects take, as it is or, if there are very many, as it was
// when it was last counted; nil while it is counted for the first time.
func (p *Page) countStorage(v *visit) *storageUse {
	owner, s := v.owner, v.shelf
	count := p.chores.start(owner, choreCount, func(ctx context.Context) (any, error) {
		used, err := countObjects(ctx, p.o.Store, owner)
		if err != nil {
			return nil, err
		}
		s.counting.Lock()
		defer s.counting.Unlock()
		s.used = used
		return used, nil
	})
	count.wait(v.Context(), p.o.Patience.Count)
	s.counting.Lock()
	defer s.counting.Unlock()
	return s.used
}

// countObjects adds up the objects of an owner.
func countObjects(ctx context.Context, s blob.Store, owner string) (*storageUse, error) {
	used := &storageUse{Kinds: slices.Clone(kinds)}
	prefix := state.OwnerKey(owner, "")
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		kind, _, _ := strings.Cut(strings.TrimPrefix(o.Key, prefix), "/")
		at := slices.IndexFunc(used.Kinds, func(u usage) bool { return u.Name == kind })
		if at < 0 {
			at = len(used.Kinds) - 1
		}
		one := &used.Kinds[at]
		one.Objects, one.Bytes, used.Total = one.Objects+1, one.Bytes+o.Size, used.Total+o.Size
	}
	used.Kinds = slices.DeleteFunc(used.Kinds, func(u usage) bool { return u.Objects == 0 })
	return used, nil
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
	defer f.Close()
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
