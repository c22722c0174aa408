// Package web is the web page: a store to read, search and correct in a browser.
//
// [New] makes an [http.Handler] for the paths below [Base]. It works without JavaScript, loads
// nothing from elsewhere, and shows a browser the store of one owner: the owner whose one-time
// token the browser has exchanged for a cookie ([Page.Enter]).
//
// No request parses a whole store. A shelf (shelf.go) keeps a small index of each owner's current
// export: what lists are filtered by, and the places of the elements. What a page shows is read
// from these places.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/search"
)

// Base is the path that the page is below.
const Base = "/page/"

// Options say what the page works on.
type Options struct {
	// Store has the exports of all owners.
	Store blob.Store
	// Client does the work: imports, edits, retries.
	Client pipeline.Client
	// Scratch is a folder for uploads in progress.
	Scratch string
	// SearchFolder has an index for each owner; "" keeps them in memory.
	SearchFolder string
	// Meaning asks a model what a query means, nil if there is none; nil: only words are compared.
	Meaning func(ctx context.Context, text string) (*search.Vector, error)
	// MaxUpload is the size of the largest upload in bytes.
	MaxUpload int64
	// Now is the clock, NewID makes ids of edits, and Random is for tokens.
	Now    func() time.Time
	NewID  func() string
	Random io.Reader
	// Export writes a bundle of an owner's store to give away as a zip, signed if there is a key; nil:
	// there is no export.
	Export func(ctx context.Context, owner string, sign *SigningKey, w io.Writer) error
	// HasKey tells whether the settings name a key that signs for an owner; nil: they name none.
	HasKey func(owner string) bool
	// Eraser erases; nil: nothing can be erased.
	Eraser Eraser
	// Changed is called after a store was changed by hand or an erasure; nil: nobody wants to know.
	Changed func(ctx context.Context, owner string) error
	// Queues tells how much work waits; nil: there is no queue.
	Queues Queues
	// Hosts are names and addresses that a request may name beside those of this machine itself.
	Hosts []string
	// Patience is how long requests wait; the zero value is what suits people.
	Patience Patience
}

// SigningKey is the text of a private key. An empty one stands for the key that the settings name.
type SigningKey struct{ Text []byte }

// Page is the web page.
type Page struct {
	o        Options
	chores   *chores
	shelves  *shelves
	sessions *sessions
	uploads  *uploads
	handler  http.Handler
}

// New makes the page.
func New(o Options) (*Page, error) {
	if err := parseTemplates(); err != nil {
		return nil, fmt.Errorf("make web page: %w", err)
	}
	if o.Patience == (Patience{}) {
		o.Patience = defaultPatience()
	}
	p := &Page{o: o, chores: newChores(), sessions: newSessions(o.Now, o.Random)}
	p.shelves = &shelves{store: o.Store, searchFolder: o.SearchFolder, patience: o.Patience, all: map[string]*shelf{}}
	p.uploads = newUploads(o.Scratch, o.MaxUpload, o.NewID, o.Now)
	p.handler = p.guard(p.routes())
	return p, nil
}

func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// Close ends the searches and removes unfinished uploads.
func (p *Page) Close() error {
	p.chores.Close()
	return errors.Join(p.shelves.Close(), p.uploads.Close())
}

// Enter gives the path that lets a browser in as an owner, once and within a few minutes. The
// owner's store is read meanwhile.
func (p *Page) Enter(owner string) (path string, err error) {
	if err := state.CheckOwner(owner); err != nil {
		return "", err
	}
	token, err := p.sessions.invite(owner)
	if err != nil {
		return "", err
	}
	p.shelves.of(owner).warm()
	return Base + "enter?token=" + token, nil
}

// EnterOperations gives the path that lets a browser see the work of all owners, as Enter does.
func (p *Page) EnterOperations() (path string, err error) {
	token, err := p.sessions.invite("")
	if err != nil {
		return "", err
	}
	return Base + "enter?token=" + token, nil
}

// routes are the pages.
func (p *Page) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, show := range map[string]view{
		"GET conversations":           p.conversations,
		"GET conversations/{id}":      p.conversation,
		"GET memories":                p.memories,
		"GET memories/{id}":           p.memory,
		"GET review":                  p.review,
		"GET search":                  p.search,
		"GET timeline":                p.timeline,
		"GET store":                   p.store,
		"POST store/validate":         p.validate,
		"GET store/export":            p.export,
		"POST store/sign":             p.sign,
		"GET store/render":            p.renderFor,
		"GET erase":                   p.erasePreview,
		"POST erase":                  p.erase,
		"GET erase/result":            p.erased,
		"GET assets/{path...}":        p.asset,
		"GET imports":                 p.imports,
		"GET imports/{drop}":          p.oneImport,
		"GET imports/{drop}/events":   p.events,
		"POST imports/{drop}/retry":   p.retry,
		"POST imports/{drop}/again":   p.again,
		"POST memories/{id}/undo":     p.undo,
		"POST memories/{id}/{action}": p.edit,
		"POST upload":                 p.upload,
		"POST tus":                    p.createUpload,
		"HEAD tus/{upload}":           p.headUpload,
		"PATCH tus/{upload}":          p.patchUpload,
		"DELETE tus/{upload}":         p.deleteUpload,
	} {
		method, path := splitPattern(pattern)
		mux.Handle(method+" "+Base+path, p.signedIn(show))
	}
	mux.Handle("GET "+Base+"{$}", p.operating(p.home))
	mux.Handle("GET "+Base+"operations", p.operating(p.operations))
	mux.Handle("POST "+Base+"operations/retry", p.operating(p.retryFailure))
	mux.HandleFunc("OPTIONS "+Base+"tus", p.describeUploads)
	mux.HandleFunc("GET "+Base+"enter", p.enter)
	mux.HandleFunc("GET "+Base+"static/{file}", serveStatic)
	mux.HandleFunc(Base, func(w http.ResponseWriter, r *http.Request) {
		p.fail(w, r, nil, notFoundError{"There is no such page."})
	})
	return mux
}
