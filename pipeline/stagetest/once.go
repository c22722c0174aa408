package stagetest

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// immutable are the keys of objects that are written once: all that an input set names, directly or
// indirectly, and what else never changes.
var immutable = regexp.MustCompile(`^owners/[^/]+/(imports/([^/]+)/(manifest\.json|snapshots/.*|assets/.*|candidates/.*|rejects/.*|vectors/.*|known/.*)` +
	`|(inputs|heads|edits|moments|receipts|assets|conversations)/.*|exports/[^/.]+\.(json|fold\.zst|embeddings\.json))$`)

// once is a store that reports each immutable object that gets other bytes, or goes although a
// manifest names it.
type once struct {
	blob.Store
	data   *statetest.Store
	report func(key string)
}

func (o *once) Unwrap() blob.Store { return o.Store }

func (o *once) Put(ctx context.Context, key string, body io.Reader, how blob.PutOptions) (blob.Object, error) {
	before, there := o.data.Body(key)
	if !there || how.IfAbsent || !immutable.MatchString(key) {
		return o.Store.Put(ctx, key, body, how)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return blob.Object{}, err
	}
	if string(data) != before {
		o.report(key)
	}
	return o.Store.Put(ctx, key, bytes.NewReader(data), how)
}

func (o *once) Delete(ctx context.Context, key string) error {
	if parts := immutable.FindStringSubmatch(key); parts != nil {
		id := parts[2]
		_, named := o.data.Body(state.ManifestKey(Owner, id))
		if _, there := o.data.Body(key); there && (id == "" || named) && !strings.HasPrefix(key, "owners/"+Owner+"/receipts/") {
			o.report(key)
		}
	}
	return o.Store.Delete(ctx, key)
}
