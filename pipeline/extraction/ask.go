package extraction

import (
	"context"
	"errors"
	"iter"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// Ask gets the answers that are missing. A service that cannot be asked takes nothing from the other extractors: what is
// unanswered stands in the marker, and importing the drop again asks for it.
func (x *ShardRun) Ask(ctx context.Context) error {
	for _, e := range x.selected {
		asking, ok := e.(extract.Asking)
		if !ok {
			continue
		}
		usage, err := asking.Ask(ctx, x.documents(ctx, asking), x.Answers())
		x.m.Usage.Add(usage)
		var trouble *extract.AskError
		switch {
		case err == nil:
		case errors.As(err, &trouble) && ctx.Err() == nil:
			x.m.Trouble, x.m.Hint = asking.Name()+": "+trouble.Error(), trouble.Hint
		default:
			return err
		}
	}
	return nil
}

func (x *ShardRun) unanswered(reason string, n int) {
	if x.m.Unanswered == nil {
		x.m.Unanswered = map[string]int{}
	}
	x.m.Unanswered[reason] += n
}

// documents are the conversations of the shard that an extractor wants.
func (x *ShardRun) documents(ctx context.Context, e extract.Extractor) iter.Seq2[*pamio.Conversation, error] {
	return func(yield func(*pamio.Conversation, error) bool) {
		t := x.Task
		list, err := state.OpenPackList(ctx, x.Store, state.PackListKey(t.Owner, t.Import, t.Pack))
		if err != nil {
			yield(nil, err)
			return
		}
		defer list.Close()
		pack, err := state.OpenPack(ctx, x.Store, state.PackKey(t.Owner, t.Import, t.Pack))
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
			if !yield(parsed, err) || err != nil {
				return
			}
		}
	}
}
