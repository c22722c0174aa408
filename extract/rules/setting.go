package rules

import (
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/segment"
)

// setting is what a conversation is like.
type setting struct {
	// talk: the person writes as people chat, in short messages without orders. In such a talk ordinary verbs tell of the
	// person's life; in a talk about a task they tell of the task.
	talk bool
}

// A message of at most shortMessage bytes is chat.
const shortMessage = 400

// settingOf tells what a conversation is like by what the person writes in it: the answers of an assistant are long
// whatever the talk is about.
func settingOf(turns []extract.Turn) setting {
	own, tasks := 0, 0
	var frame segment.Frame
	for i := range turns {
		if !turns[i].Own {
			continue
		}
		own++
		if !isPersonal(turns[i].Text, &frame) {
			tasks++
		}
	}
	return setting{talk: tasks*10 <= own}
}

// isPersonal tells whether a message is about the person and not about a task: it is short and gives no order.
func isPersonal(text string, frame *segment.Frame) bool {
	if len(text) > shortMessage {
		return false
	}
	frame.See("user", text)
	return !frame.Asks()
}
