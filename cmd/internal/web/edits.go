package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/edit"
)

// actions are what a form can do to a memory, by the word in its address. To restore is to confirm:
// it makes a memory active again, whatever made it inactive.
var actions = map[string]string{
	"confirm": assemble.EditConfirm, "restore": assemble.EditConfirm, "retract": assemble.EditRetract, "archive": assemble.EditArchive, "replace": assemble.EditReplace,
}

// accesses are what a form can say of who may see a memory, by the word in its address.
var accesses = map[string]assemble.AccessEdit{
	"private": {Visibility: "private"}, "share": {Visibility: "shared"}, "withhold": {Exportable: new(false)}, "release": {Exportable: new(true)},
}

// maxForm is the size of the largest form.
const maxForm = 64 << 10

// edit changes a memory by hand, and shows it as it is then.
func (p *Page) edit(w http.ResponseWriter, v *visit) error {
	action, ok := actions[v.PathValue("action")]
	access, isAccess := accesses[v.PathValue("action")]
	if !ok && !isAccess {
		return notFoundError{"There is no such change."}
	}
	c, err := v.shelf.catalog(v.Context(), true)
	if err != nil {
		return err
	}
	id := v.PathValue("id")
	if _, ok := c.noteAt[id]; !ok {
		return notFoundError{"There is no such memory."}
	}
	if err := v.readForm(w); err != nil {
		return err
	}
	e := assemble.Edit{ID: p.o.NewID(), At: pamio.FormatTime(p.o.Now()), Action: action, Memory: id}
	if isAccess {
		e.Action, e.Access = assemble.EditAccess, &access
	}
	if action == assemble.EditReplace {
		if e.Content = strings.TrimSpace(v.PostForm.Get("content")); e.Content == "" {
			return wrongError{"Write what is true instead."}
		}
	}
	_, err = edit.Apply(v.Context(), p.o.Store, p.o.Client, v.owner, e)
	if errors.Is(err, edit.ErrNoContent) {
		return wrongError{"Write what is true instead."}
	}
	if err != nil {
		return err
	}
	if err := p.changed(v.Context(), v.owner); err != nil {
		return err
	}
	if c, err = v.shelf.catalog(v.Context(), true); err != nil {
		return err
	}
	target := "memories/" + url.PathEscape(id)
	if back := backOf(v); back != "" {
		target = back
	} else if action == assemble.EditReplace {
		target = "memories/" + url.PathEscape(c.replacementOf(id))
	}
	seeOther(w, v, "%s?notice=%s&of=%s", target, v.PathValue("action"), url.QueryEscape(id))
	return nil
}

// readForm reads a form without files.
func (v *visit) readForm(w http.ResponseWriter) error {
	v.Body = http.MaxBytesReader(w, v.Body, maxForm)
	if err := v.ParseForm(); err != nil {
		return wrongError{"The form is too large, or cannot be read."}
	}
	return nil
}

// changed brings up to date what is kept of a store outside of it.
func (p *Page) changed(ctx context.Context, owner string) error {
	if p.o.Changed == nil {
		return nil
	}
	return p.o.Changed(ctx, owner)
}

// replacementOf is the memory that took the place of another one, the memory itself if none did.
func (c *catalog) replacementOf(id string) string {
	for _, r := range c.relations[id] {
		if r.Type == "supersedes" && r.Back {
			return r.Other
		}
	}
	return id
}
