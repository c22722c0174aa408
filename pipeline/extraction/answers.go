package extraction

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Answers records what services said about one owner's conversations, beside the imports: a
// question is asked once, whichever import has it. What was spent is counted for the import.
// Answers of all shards of an import are equal, so an extractor can tell that they have one budget.
type Answers struct {
	Store         blob.Store
	Owner, Import string
}

func (x *shardRun) answers() extract.Answers { return Answers{x.Store, x.task.Owner, x.task.Import} }

var answerForm = regexp.MustCompile(`^(?:batch-)?[0-9a-f]{32,64}$`)

func (a Answers) key(key string) (string, error) {
	if !answerForm.MatchString(key) {
		return "", fmt.Errorf("keep answer: %q is not a key", key)
	}
	return state.OwnerKey(a.Owner, "answers/"+key+".json"), nil
}

// Get gives the answer that is recorded under a key; ok is false if there is none.
func (a Answers) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	at, err := a.key(key)
	if err != nil {
		return nil, false, err
	}
	var stored answer
	_, err = objects.ReadJSON(ctx, a.Store, at, &stored)
	if objects.IsMissing(err) {
		return nil, false, nil
	}
	return stored.Value, err == nil, err
}

// answer is a recorded answer as it is stored.
type answer struct {
	V     int    `json:"v"`
	Value []byte `json:"value"`
}

// Put records an answer, whatever was recorded before.
func (a Answers) Put(ctx context.Context, key string, value []byte) error {
	at, err := a.key(key)
	if err != nil {
		return err
	}
	return objects.PutJSON(ctx, a.Store, at, answer{1, value})
}

// Spent is what all shards of the import have used.
func (a Answers) Spent(ctx context.Context) (sum extract.Usage, err error) {
	sum, _, err = a.spent(ctx)
	return sum, err
}

// spentKey lies with the import: a later generation continues with what the import has spent.
func (a Answers) spentKey() string { return state.ImportKey(a.Owner, a.Import, "spent.json") }

func (a Answers) spent(ctx context.Context) (sum extract.Usage, tag string, err error) {
	tag, err = objects.ReadJSON(ctx, a.Store, a.spentKey(), &sum)
	if objects.IsMissing(err) {
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
		if err = objects.SwapJSON(ctx, a.Store, a.spentKey(), tag, sum); !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}
