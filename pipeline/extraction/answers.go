package extraction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/state"
)

// Answers keeps what services said about one owner's conversations, beside the imports: the same question is asked once,
// whichever import asks it. What was spent is counted for the import. Those of all shards of an import are equal, so that an
// extractor can tell that they have one budget.
type Answers struct {
	Store blob.Store
	Owner string
	Id    string // of the import
}

// Answers are the recorded answers of the import.
func (x *ShardRun) Answers() extract.Answers { return Answers{x.Store, x.Task.Owner, x.Task.Import} }

var answerForm = regexp.MustCompile(`^(?:batch-)?[0-9a-f]{32,64}$`)

func (a Answers) key(key string) (string, error) {
	if !answerForm.MatchString(key) {
		return "", fmt.Errorf("keep answer: %q is not a key", key)
	}
	return state.OwnerKey(a.Owner, "answers/"+key+".json"), nil
}

// Get gives the answer that is recorded under a key; ok is false when there is none.
func (a Answers) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	at, err := a.key(key)
	if err != nil {
		return nil, false, err
	}
	rc, _, err := a.Store.Get(ctx, at, blob.Range{})
	if state.IsMissing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer rc.Close()
	value, err = io.ReadAll(rc)
	return value, err == nil, err
}

// Put records an answer, unless there is one already.
func (a Answers) Put(ctx context.Context, key string, value []byte) error {
	at, err := a.key(key)
	if err != nil {
		return err
	}
	_, err = a.Store.Put(ctx, at, bytes.NewReader(value), blob.PutOptions{})
	return err
}

// Spent is what all shards of the import have used.
func (a Answers) Spent(ctx context.Context) (sum extract.Usage, err error) {
	sum, _, err = a.spent(ctx)
	return sum, err
}

// spentKey lies with the import and not with its work: an import that ended over its budget goes on with what it has spent.
func (a Answers) spentKey() string { return state.ImportKey(a.Owner, a.Id, "spent.json") }

func (a Answers) spent(ctx context.Context) (sum extract.Usage, tag string, err error) {
	tag, err = state.ReadJSON(ctx, a.Store, a.spentKey(), &sum)
	if state.IsMissing(err) {
		return sum, "", nil
	}
	return sum, tag, err
}

// Spend adds to what the import has used, also when others add at the same time.
func (a Answers) Spend(ctx context.Context, u extract.Usage) error {
	for {
		sum, tag, err := a.spent(ctx)
		if err != nil {
			return err
		}
		sum.Add(u)
		if err = state.SwapJSON(ctx, a.Store, a.spentKey(), tag, sum); !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}
