package api

import (
	"context"
	"net/http"
)

// Paths that ask for the address of the web page.
const (
	pagePath       = "/admin/page"
	operationsPath = "/admin/page/operations"
)

// pageAnswer is a path that lets a browser in once.
type pageAnswer struct {
	Path string `json:"path"`
}

// ServePage gives commands that can read the data folder the way into the web page of an owner, and
// into the operations of all owners.
func (a *Admin) ServePage(handle func(pattern string, h http.Handler), enter func(owner string) (path string, err error), operate func() (path string, err error)) {
	handle("POST "+pagePath, answerWith(a, func(_ context.Context, owner string) (pageAnswer, error) {
		path, err := enter(owner)
		return pageAnswer{path}, err
	}))
	handle("POST "+operationsPath, answerWith(a, func(context.Context, struct{}) (pageAnswer, error) {
		path, err := operate()
		return pageAnswer{path}, err
	}))
}

// OpenPage gives the address of the web page of the service, which lets a browser in once.
func (c Client) OpenPage(ctx context.Context, owner string) (string, error) {
	answer, err := postRequest[pageAnswer](ctx, c.Caller, pagePath, owner)
	if err != nil {
		return "", err
	}
	return "http://" + c.addr + answer.Path, nil
}

// OpenOperations gives the address of the operations of the service, as OpenPage does.
func (c Client) OpenOperations(ctx context.Context) (string, error) {
	answer, err := postRequest[pageAnswer](ctx, c.Caller, operationsPath, struct{}{})
	if err != nil {
		return "", err
	}
	return "http://" + c.addr + answer.Path, nil
}
