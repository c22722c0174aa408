package llm

import (
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
)

const (
	// overlap is how many windows of the request before stand as context before the first of the
	// next.
	overlap = 2
	// tagTokens is what a window takes beside its text.
	tagTokens = 16
)

// talk is what of a conversation is looked at.
type talk struct {
	doc   *pamio.Conversation
	size  int64  // most tokens of a chunk
	date  string // YYYY-MM-DD, "" when nowhere known
	lang  string
	turns []extract.Turn
	// pretends tells of each turn whether the person plays a part in it.
	pretends []bool
}

// chunk is what one request asks about: windows in the order of the talk.
type chunk struct {
	*talk
	windows []window
}

// chunks cuts a conversation into requests. It is a pure function: asking and reading meet in it.
// The last turns that are no evidence are left out, and so is what a program or a tool put into the
// talk.
func (t *talk) chunks(parts func(turn int) []part) []chunk {
	var all []chunk
	var now []window
	var size int64
	fresh := 0 // windows of now that are not the overlap
	closeChunk := func() {
		last := len(now)
		for last > 0 && !now[last-1].evidence {
			last--
		}
		if last > 0 {
			all = append(all, chunk{t, append([]window{}, now[:last]...)})
		}
		now = t.context(now, overlap)
		size, fresh = 0, 0
		for _, w := range now {
			size += t.cost(w)
		}
	}
	for i := range t.turns {
		turn := &t.turns[i]
		if !turn.Own && turn.Role != "assistant" {
			continue
		}
		var of []part
		if turn.Own {
			of = parts(i)
		}
		for _, w := range windows(t.turns, i, of) {
			cost := t.cost(w)
			if fresh > 0 && size+cost > t.size {
				closeChunk()
			}
			now = append(now, w)
			size += cost
			fresh++
		}
	}
	closeChunk()
	return all
}

// context gives the last n windows for use as context: no evidence, and no longer than context is.
func (t *talk) context(all []window, n int) []window {
	if len(all) > n {
		all = all[len(all)-n:]
	}
	out := make([]window, 0, n)
	for _, w := range all {
		c := window{turn: w.turn}
		room := maxAssistant
		for _, p := range w.shown {
			if room <= 0 {
				break
			}
			p.End = p.Start + cutAt(t.turns[w.turn].Text[p.Start:p.End], room)
			room -= p.End - p.Start
			c.shown = append(c.shown, p)
		}
		out = append(out, c)
	}
	return out
}

func (t *talk) cost(w window) int64 {
	n := int64(tagTokens)
	for _, p := range w.shown {
		n += tokens(t.turns[w.turn].Text[p.Start:p.End])
	}
	return n
}

// halves divides a chunk in two: between its windows with evidence, or inside the only one. One
// that is too short for that is left without what is only context; when it has none, there are no
// halves.
func (c chunk) halves() []chunk {
	var at []int
	for i, w := range c.windows {
		if w.evidence {
			at = append(at, i)
		}
	}
	if len(at) > 1 {
		middle := at[len(at)/2]
		last := at[len(at)/2-1] + 1
		return []chunk{{c.talk, c.windows[:last:last]}, {c.talk, append(c.context(c.windows[:middle], 1), c.windows[middle:]...)}}
	}
	if len(at) == 0 {
		return nil
	}
	only := c.windows[at[0]]
	first, second, ok := only.halves(c.turns[only.turn].Text)
	switch {
	case ok:
		before := append(c.windows[:at[0]:at[0]], first)
		return []chunk{{c.talk, before}, {c.talk, append(c.context(before, 1), second)}}
	case len(c.windows) > 1:
		return []chunk{{c.talk, []window{only}}}
	}
	return nil
}

// day gives the date of a time as PAM writes it, "" when there is none.
func day(at string) string {
	t, err := pamio.ParseTime(at)
	if err != nil || t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}
