package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/pipeline"
)

type statusList []pipeline.Status

func (l statusList) WriteText(w io.Writer) error {
	p := printTo(w)
	if len(l) == 0 {
		p.line("There are no imports yet.")
	}
	for _, s := range l {
		p.line("%s", statusLine(s))
	}
	return p.err
}

// statusLine is one import as a line.
func statusLine(s pipeline.Status) string {
	id := s.Import
	if id == "" {
		id = "(drop " + s.Drop[:min(16, len(s.Drop))] + ")"
	}
	line := fmt.Sprintf("%-34s %-12s %-18s %s, %d of %d parts extracted", id, s.Owner, s.State, plural(s.Conversations, "conversation"), s.Extracted, s.Shards)
	if s.ReplacedBy != "" {
		line += ", replaced by " + s.ReplacedBy
	}
	if s.Unusable != "" {
		line += ": " + s.Unusable
	}
	if !s.Open() {
		return line
	}
	if s.BytesTotal > 0 {
		line += fmt.Sprintf(", %d%% read", min(100, 100*s.BytesRead/s.BytesTotal))
	}
	return line + pace(s)
}

// pace is how fast an import goes on and what is left of it, as far as that is known.
func pace(s pipeline.Status) string {
	var out strings.Builder
	if s.State == pipeline.StateReading && s.BytesPerSecond > 0 {
		fmt.Fprintf(&out, ", %.1f MB/s", s.BytesPerSecond/1e6)
	}
	if s.ConversationsPerSecond > 0 {
		fmt.Fprintf(&out, ", %.0f conversations/s", s.ConversationsPerSecond)
	}
	if s.SecondsLeft != nil {
		left := time.Duration(*s.SecondsLeft * float64(time.Second))
		out.WriteString(", " + s.State + " takes about " + progress.Roughly(left) + " more")
	}
	if t := s.Trouble; t != nil {
		fmt.Fprintf(&out, ", last error: %s in %s", t.Class, t.Stage)
	}
	return out.String()
}

// bar draws how far an import has come in so many characters; "" when that is not known.
func bar(s pipeline.Status, width int) string {
	done, of := int64(0), int64(0)
	switch s.State {
	case pipeline.StateReading:
		done, of = s.BytesRead, s.BytesTotal
	case pipeline.StateExtracting, pipeline.StateAssembling:
		done, of = int64(s.Extracted), int64(s.Shards)
	}
	if of <= 0 {
		return strings.Repeat(" ", width+2)
	}
	full := int(min(int64(width), int64(width)*done/of))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}
