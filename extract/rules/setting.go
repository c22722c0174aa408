package rules

import "github.com/pamline/pamline/extract"

// setting is what a conversation is like.
type setting struct {
	// talk: both sides write as people chat, in short messages. In such a talk ordinary verbs tell of the person's life; in a talk about a
	// task they tell of the task.
	talk bool
}

// A message of at most shortMessage bytes is chat.
const shortMessage = 400

func settingOf(turns []extract.Turn) setting {
	long := 0
	for i := range turns {
		if len(turns[i].Text) > shortMessage {
			long++
		}
	}
	return setting{talk: long*10 <= len(turns)}
}
