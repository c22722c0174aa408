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
// whichever import asks it. What was spent is kept for each shard, and counted for the import.
type answers struct {
	store blob.Store
	task  ExtractTask
}

func (x *extraction) answers() extract.Answers { return answers{x.Store, x.task} }

var answerForm = regexp.MustCompile(`^(?:batch-)?[0-9a-f]{32,64}$`)

func (a answers) key(key string) (string, error) {
	if !answerForm.MatchString(key) {
		return "", fmt.Errorf("keep answer: %q is not a key", key)
	}
	return ownerKey(a.task.Owner, "answers/"+key+".json"), nil
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

// spentPrefix lies with the import and not with its work: an import that ended over its budget goes on with what it has spent.
func spentPrefix(t ExtractTask) string { return importKey(t.Owner, t.Import, "spent/") }

// Spent sums what every shard of the import has used.
func (a answers) Spent(ctx context.Context) (extract.Usage, error) {
	var sum extract.Usage
	for o, err := range a.store.List(ctx, spentPrefix(a.task)) {
		if err != nil {
			return sum, err
		}
		var one extract.Usage
		if _, err := readJSON(ctx, a.store, o.Key, &one); err != nil {
			return sum, err
		}
		sum.Add(one)
	}
	return sum, nil
}

// Spend adds to what the shard has used. A shard is extracted by one worker at a time; should a second one have taken it
// over, what both add at the same moment is counted once.
func (a answers) Spend(ctx context.Context, u extract.Usage) error {
	key := spentPrefix(a.task) + a.task.Shard + ".json"
	for {
		var sum extract.Usage
		tag, err := readJSON(ctx, a.store, key, &sum)
		if err != nil && !isMissing(err) {
			return err
		}
		sum.Add(u)
		err = swapJSON(ctx, a.store, key, tag, sum)
		if !errors.Is(err, blob.ErrPrecondition) {
			return err
		}
	}
}
