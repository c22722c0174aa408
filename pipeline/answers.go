package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
)

// answers keeps what services said about one owner's conversations, beside the imports: the same question is asked once,
// whichever import asks it. What was spent is counted for the import. Those of all shards of an import are equal, so that an
// extractor can tell that they have one budget.
type answers struct {
	store blob.Store
	owner string
	id    string // of the import
}

func (x *extraction) answers() extract.Answers { return answers{x.Store, x.task.Owner, x.task.Import} }

var answerForm = regexp.MustCompile(`^(?:batch-)?[0-9a-f]{32,64}$`)

func (a answers) key(key string) (string, error) {
	if !answerForm.MatchString(key) {
		return "", fmt.Errorf("keep answer: %q is not a key", key)
	}
	return ownerKey(a.owner, "answers/"+key+".json"), nil
}

func (a answers) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	at, err := a.key(key)
	if err != nil {
		return nil, false, err
	}
	rc, _, err := a.store.Get(ctx, at, blob.Range{})
	if isMissing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer rc.Close()
	value, err = io.ReadAll(rc)
	return value, err == nil, err
}

func (a answers) Put(ctx context.Context, key string, value []byte) error {
	at, err := a.key(key)
	if err != nil {
		return err
	}
	_, err = a.store.Put(ctx, at, bytes.NewReader(value), blob.PutOptions{})
	return err
}

// Spent is what all shards of the import have used.
func (a answers) Spent(ctx context.Context) (sum extract.Usage, err error) {
	sum, _, err = a.spent(ctx)
	return sum, err
}

// spentKey lies with the import and not with its work: an import that ended over its budget goes on with what it has spent.
func (a answers) spentKey() string { return importKey(a.owner, a.id, "spent.json") }

func (a answers) spent(ctx context.Context) (sum extract.Usage, tag string, err error) {
	tag, err = readJSON(ctx, a.store, a.spentKey(), &sum)
	if isMissing(err) {
		return sum, "", nil
	}
	return sum, tag, err
}

// Spend adds to what the import has used, also when others add at the same time.
func (a answers) Spend(ctx context.Context, u extract.Usage) error {
	for {
		sum, tag, err := a.spent(ctx)
		if err != nil {
			return err
		}
		sum.Add(u)
		if err = swapJSON(ctx, a.store, a.spentKey(), tag, sum); !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}
