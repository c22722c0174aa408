package rules

import (
	"strings"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/segment"
)

// setting is what a conversation is like.
type setting struct {
	// talk: the person writes as people chat, in short messages without orders. In such a talk
	// ordinary verbs tell of the person's life; in a talk about a task they tell of the task.
	talk bool
	// personal: the person says "I" in at least two of five messages; in a chat without any order
	// one of four is enough. Who talks about a game or a program says it now and then.
	personal bool
	// chat: the person has written four messages and more, and says "I" in at least half of them.
	// Who asks an assistant this and that does not; what they mention by the way is then worth what
	// it is where tasks are given.
	chat bool
	// series is how the messages begin that hand over one text after another with the same order;
	// "" if most of the messages do not. Who corrects so the answers of many is not their author.
	series string
}

// A series are at least minSeries messages longer than seriesHead bytes that begin alike so far.
const (
	minSeries  = 4
	seriesHead = 32
)

// isSeries tells whether a message is one of a series.
func (s *setting) isSeries(text string) bool {
	return s.series != "" && len(text) > seriesHead && text[:seriesHead] == s.series
}

// seriesOf finds the series that most of the person's messages belong to; own is their number.
func seriesOf(turns []extract.Turn, own int) string {
	if own < minSeries {
		return ""
	}
	heads := map[string]int{}
	for i := range turns {
		if text := turns[i].Text; turns[i].Own && len(text) > seriesHead {
			heads[text[:seriesHead]]++
		}
	}
	for head, n := range heads {
		if n >= minSeries && n*2 > own {
			return head
		}
	}
	return ""
}

// minTalk is of how many messages of the person a chat is.
const minTalk = 4

// A message of at most shortMessage bytes is chat.
const shortMessage = 400

// settingOf tells what a conversation is like by what the person writes in it: the answers of an
// assistant are long whatever the talk is about.
func (r *reader) settingOf(turns []extract.Turn) setting {
	own, tasks, selves := 0, 0, 0
	var frame segment.Frame
	for i := range turns {
		if !turns[i].Own {
			continue
		}
		own++
		if t := &turns[i]; len(r.begun) < maxBegun && len(t.Text) <= shortMessage && t.Text != "" && len(t.Opaque) == 0 {
			for len(r.begun) < own-1 {
				r.begun = append(r.begun, segment.Begun{})
			}
			r.begun = append(r.begun, frame.Begin(t.Text))
			if frame.Asks() {
				tasks++
			}
		} else if !isPersonal(t.Text, &frame) {
			tasks++
		}
		if frame.Self() {
			selves++
		}
	}
	// A single order makes no task of a chat whose messages mostly say "I": "recommend a vet?"
	talk := tasks*10 <= own || tasks == 1 && own >= minTalk && selves*3 >= own*2
	// Of some languages the words of the first person are not known.
	personal := selves == 0 || selves*5 >= own*2 || tasks == 0 && own >= minTalk && selves*4 >= own
	return setting{talk: talk, chat: own >= minTalk && selves*2 >= own, personal: personal, series: seriesOf(turns, own)}
}

// maxBegun is how many messages at the beginning of a conversation are held as they were begun.
// What is known of one takes a kilobyte.
const maxBegun = 64

// isPersonal tells whether a message is about the person and not about a task: it is short and
// gives no order. The frame sees the beginning of a long one.
func isPersonal(text string, frame *segment.Frame) bool {
	head := text
	if len(head) > shortMessage {
		head = strings.ToValidUTF8(head[:shortMessage], "")
	}
	frame.See("user", head)
	return len(text) <= shortMessage && !frame.Asks()
}
