package extraction

import (
	"context"
	"errors"
	"iter"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// ask gets the answers that are missing. A service that cannot be asked takes nothing from the
// other extractors: the result counts what is unanswered, and another generation asks for it.
func (x *shardRun) ask(ctx context.Context) error {
	for _, e := range x.found.extractors {
		asking, ok := e.(extract.Asking)
		if !ok {
			continue
		}
		usage, err := asking.Ask(ctx, x.documents(ctx, asking), x.answers())
		x.header.Usage.Add(usage)
		var trouble *extract.AskError
		switch {
		case err == nil:
		case errors.As(err, &trouble) && ctx.Err() == nil:
			x.header.Trouble, x.header.Hint = asking.Name()+": "+trouble.Error(), trouble.Hint
		default:
			return err
		}
	}
	return nil
}

func (x *shardRun) addUnanswered(reason string, n int) {
	if x.header.Unanswered == nil {
		x.header.Unanswered = map[string]int{}
	}
	x.header.Unanswered[reason] += n
}

// documents are the conversations of the shard that an extractor wants.
func (x *shardRun) documents(ctx context.Context, e extract.Extractor) iter.Seq2[*pamio.Conversation, error] {
	return func(yield func(*pamio.Conversation, error) bool) {
		t := x.task
		list, err := state.OpenPackList(ctx, x.Store, state.PackListKey(t.Owner, t.Import, t.Pack))
		if err != nil {
			yield(nil, err)
			return
		}
		pack, err := state.OpenPack(ctx, x.Store, state.PackKey(t.Owner, t.Import, x.pack))
		if err != nil {
			yield(nil, err)
			return
		}
		defer pack.Close()
		for line, err := range list.Lines {
			if err == nil && (!line.Wanted || line.Record != "") {
				continue
			}
			var doc []byte
			if err == nil {
				doc, err = pack.Next(line.Offset, line.Length, line.Size)
			}
			var parsed *pamio.Conversation
			if err == nil && extract.Wants(e, doc) {
				parsed, err = pamio.ParseConversation(doc)
			}
			if err == nil && parsed == nil {
				continue
			}
			if err != nil {
				err = pack.Finish(err)
			}
			if !yield(parsed, err) || err != nil {
				return
			}
		}
	}
}
