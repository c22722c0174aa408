package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pamline/pamline/pipeline/erase"
	"github.com/pamline/pamline/pipeline/fault"
)

// visit is one request of a browser that was let in.
type visit struct {
	*http.Request
	owner string
	shelf *shelf
	// isOperator: there is no owner and no shelf; only the operations are shown.
	isOperator bool
}

// view answers a visit. An error that it returns is shown as a page.
type view func(w http.ResponseWriter, v *visit) error

func splitPattern(pattern string) (method, path string) {
	method, path, _ = strings.Cut(pattern, " ")
	return method, path
}

// signedIn lets only those in who have a session of an owner.
func (p *Page) signedIn(show view) http.Handler {
	return p.operating(func(w http.ResponseWriter, v *visit) error {
		if v.isOperator {
			return &statusError{http.StatusForbidden, "This address is for the operations only.", "Run pamline open --owner ID to see the store of an owner."}
		}
		return show(w, v)
	})
}

// operating lets those in who have a session, of an owner or of an operator.
func (p *Page) operating(show view) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		owner, ok := p.sessions.owner(r)
		if !ok {
			p.fail(w, r, nil, &statusError{http.StatusUnauthorized, "This page is closed.", "Run pamline open on this machine: it prints a new address and opens it."})
			return
		}
		v := &visit{Request: r, owner: owner, isOperator: owner == ""}
		if !v.isOperator {
			v.shelf = p.shelves.of(owner)
		}
		if err := show(w, v); err != nil {
			p.fail(w, r, v, err)
		}
	})
}

// statusError is an error with the code and the words of the answer.
type statusError struct {
	code       int
	text, hint string
}

func (e *statusError) Error() string { return e.text }

// notFoundError says that what a path names is not there, or somebody else's.
type notFoundError struct{ text string }

func (e notFoundError) Error() string { return e.text }

// wrongError says that the request itself must change.
type wrongError struct{ text string }

func (e wrongError) Error() string { return e.text }

// problem is what a page of an error shows.
type problem struct{ Text, Hint string }

// fail shows an error. What a person cannot act upon is not told.
func (p *Page) fail(w http.ResponseWriter, r *http.Request, v *visit, err error) {
	code, shown := http.StatusInternalServerError, problem{"Something went wrong.", "Try again. The log of pamline says more."}
	var status *statusError
	var missing notFoundError
	var wrong wrongError
	switch {
	case errors.As(err, &status):
		code, shown = status.code, problem{status.text, status.hint}
	case errors.As(err, &missing):
		code, shown = http.StatusNotFound, problem{missing.text, "Go back, or use the menu."}
	case errors.As(err, &wrong):
		code, shown = http.StatusBadRequest, problem{wrong.text, ""}
	case errors.Is(err, errOpening):
		w.Header().Set("Retry-After", "1")
		code, shown = http.StatusServiceUnavailable, problem{"Your store is being opened.", "This page reloads by itself."}
	case errors.Is(err, errNoStore):
		code, shown = http.StatusNotFound, problem{"There is nothing here yet.", "Import an export first: the page Imports says how."}
	case fault.Of(err) == fault.Permanent:
		code, shown = http.StatusBadRequest, problem{err.Error(), fault.HintOf(err)}
	}
	if errors.Is(err, erase.ErrBusy) {
		code, shown = http.StatusConflict, problem{"An import is running.", "Wait until it has ended, then do it again."}
	}
	p.render(w, v, code, "problem", "Problem", map[string]any{"Problem": shown, "Reload": code == http.StatusServiceUnavailable, "Code": code})
	_ = r
}

// seeOther answers a form: the browser gets the page, so that reloading repeats nothing.
func seeOther(w http.ResponseWriter, v *visit, format string, args ...any) {
	http.Redirect(w, v.Request, Base+fmt.Sprintf(format, args...), http.StatusSeeOther)
}
