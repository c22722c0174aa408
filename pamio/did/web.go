package did

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/pamline/pamline/pamio/keys"
)

// WebMethod is the method whose documents lie on web servers.
const WebMethod = "web"

// maxDocument is the greatest size of a DID document in bytes.
const maxDocument = 1 << 20

// Resolver finds the keys of DIDs. The zero value knows did:key only and never uses the network.
type Resolver struct {
	// Client makes the requests for did:web; nil: there are none. It should have a timeout.
	Client *http.Client
}

// Keys gives the keys that a DID stands for. A fragment chooses one of them. The error wraps
// [ErrMethod] if the method is unknown, or needs the network and there is no client.
func (r Resolver) Keys(ctx context.Context, u URL) ([]keys.Public, error) {
	switch u.Method {
	case KeyMethod:
		p, err := u.Key()
		if err == nil && u.Fragment != "" && u.Fragment != u.ID {
			err = fmt.Errorf("resolve did:key: there is no key #%s", u.Fragment)
		}
		if err != nil {
			return nil, err
		}
		return []keys.Public{p}, nil
	case WebMethod:
		if r.Client == nil {
			return nil, fmt.Errorf("resolve did:web: %w without the network", ErrMethod)
		}
		document, err := r.fetch(ctx, u)
		if err != nil {
			return nil, fmt.Errorf("resolve did:web: %w", err)
		}
		found, err := parseDocument(document, u)
		if err != nil {
			return nil, fmt.Errorf("resolve did:web: %w", err)
		}
		return found, nil
	}
	return nil, fmt.Errorf("resolve did:%s: %w", u.Method, ErrMethod)
}

// WebURL is the address of the document of a did:web: https, and no other scheme.
func (u URL) WebURL() (string, error) {
	if u.Method != WebMethod {
		return "", fmt.Errorf("find document: %w: not did:web", ErrMethod)
	}
	parts := strings.Split(u.ID, ":")
	host, err := url.PathUnescape(parts[0]) // a port is written %3A8443
	if err != nil || strings.ContainsAny(host, "/@?#\\ ") {
		return "", fmt.Errorf("find document: %w: no host name", ErrSyntax)
	}
	path := "/.well-known"
	if len(parts) > 1 {
		for _, p := range parts[1:] {
			if p == "" || p == "." || p == ".." {
				return "", fmt.Errorf("find document: %w: a part of the path is %q", ErrSyntax, p)
			}
		}
		path = "/" + strings.Join(parts[1:], "/")
	}
	return "https://" + host + path + "/did.json", nil
}

func (r Resolver) fetch(ctx context.Context, u URL) ([]byte, error) {
	address, err := u.WebURL()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: no address can be made of it", ErrSyntax)
	}
	request.Header.Set("Accept", "application/did+json, application/did+ld+json, application/json")
	// The name in the DID is what is trusted: another server that it points to is not.
	client := *r.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return errors.New("the server redirects, and a DID document must lie where its DID says")
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("get DID document: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get DID document: the server answers %s", response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("get DID document: %w", err)
	}
	if len(body) > maxDocument {
		return nil, fmt.Errorf("get DID document: it is longer than %d bytes", maxDocument)
	}
	return body, nil
}
