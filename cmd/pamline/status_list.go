package main

import (
	"fmt"
	"io"
	"time"

	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/pipeline/status"
)

// statusList is a list of imports for people.
type statusList []status.Row

// WriteText writes a line for each import, and below it what the person should know.
func (l statusList) WriteText(w io.Writer) error {
	if len(l) == 0 {
		return printTo(w).lineOf("There are no imports yet.")
	}
	return l.table(pageWidth(w)).WriteText(w)
}

// table lists the imports.
func (l statusList) table(width int) table {
	t := table{width: width, columns: []column{
		{name: "ID"}, {name: "TIME"}, {name: "OWNER", most: 8}, {name: "FILE", flexible: true}, {name: "PROVIDER", most: 8}, {name: "CONV."}, {name: "STATE", most: 28},
	}}
	for _, r := range l {
		conversations := ""
		if r.Conversations > 0 {
			conversations = fmt.Sprint(r.Conversations)
		}
		t.rows = append(t.rows, row{
			cells: []string{listedID(r.ID()), timeCell(r.UpdatedAt), r.Owner, joinLimited(r.Files, 3), joinLimited(r.Providers, 2), conversations, stateCell(r)},
			notes: notesOf(r),
		})
	}
	return t
}

// listedID is the beginning of the id of an import, which commands accept for the whole.
func listedID(id string) string { return id[:min(8, len(id))] }

// timeCell writes a time of this machine's zone.
func timeCell(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

// stateCell is the state, and of a running import how far it has come.
func stateCell(r status.Row) string {
	text := r.State
	if done, of := progressOf(r); of > 0 {
		text += fmt.Sprintf(" %d%%", min(100, 100*done/of))
	}
	if r.SecondsLeft != nil {
		text += ", " + progress.Roughly(time.Duration(*r.SecondsLeft*float64(time.Second))) + " left"
	}
	return text
}

// progressOf is how far an import has come in its state, of 0 if that is not known.
func progressOf(r status.Row) (done, of int64) {
	switch r.State {
	case status.StateReading:
		return r.BytesRead, r.BytesTotal
	case status.StateExtracting:
		return int64(r.Extracted), int64(r.Shards)
	}
	return 0, 0
}

// notesOf are the lines below an import: why it ended as it did, and what to do.
func notesOf(r status.Row) (notes []string) {
	note := func(name, text string) {
		if text != "" {
			notes = append(notes, name+": "+text)
		}
	}
	note("reason", r.Reason)
	note("damaged", r.Unusable)
	note("next", r.Hint)
	if r.Failed > 0 && !r.IsOpen() {
		note("missing", pluralNoun(int64(r.Failed), "part")+" without memories; `pamline dlq list` lists them")
	}
	if r.Quarantined > 0 {
		note("unreadable", pluralNoun(r.Quarantined, "element")+"; `pamline status "+listedID(r.ID())+"` lists them")
	}
	if r.ReplacedBy != "" {
		note("replaced by", r.ReplacedBy)
	}
	if r.Kept != "" {
		note("kept", "the store still has the earlier import "+r.Kept)
	}
	if t := r.Trouble; t != nil && r.IsOpen() {
		note("last error", string(t.Class)+" in "+t.Stage+"; it is retried")
	}
	return notes
}
