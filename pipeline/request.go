package pipeline

import (
	"context"
	"strings"

	"github.com/pamline/pamline/blob"
)

// ask names what a request wants: of two requests for a drop, whether they want the same. The messages of an import carry
// that of the request they come from, so that ending the import ends that request and no newer one, and so that a message
// which is delivered late does not do again what has been undone since.
func (r Request) ask() string {
	return digest("pamline-ask/1\n" + r.Owner + "\n" + r.Drop + "\n" + r.Importer + "\n" + strings.Join(r.Extractors, ",") + "\n")[:32]
}

// requestOf gives the request for a drop that has not ended; ok is false when there is none.
func requestOf(ctx context.Context, s blob.Store, owner, drop string) (r Request, ok bool, err error) {
	_, err = readJSON(ctx, s, requestKey(owner, drop), &r)
	if isMissing(err) {
		return r, false, nil
	}
	return r, err == nil, err
}

// asked tells whether the open request for a drop is the one of that name.
func asked(ctx context.Context, s blob.Store, owner, drop, ask string) (bool, error) {
	r, ok, err := requestOf(ctx, s, owner, drop)
	return ok && r.ask() == ask, err
}

// endRequest removes the record of a request that has ended, unless another one has taken its place; "" ends any. A request
// for the same drop with other words that comes between the look and the removal, a moment of one round trip, is lost: stores
// have no conditional removal.
func endRequest(ctx context.Context, s blob.Store, owner, drop, ask string) error {
	if ask != "" {
		if same, err := asked(ctx, s, owner, drop, ask); err != nil || !same {
			return err
		}
	}
	return s.Delete(ctx, requestKey(owner, drop))
}
