package web

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// copyFile sends a file. If the browser is gone, nobody else wants to know.
func copyFile(w io.Writer, f fs.File) { _, _ = io.Copy(w, f) }

// imports lists the owner's imports, and has the form for the next one.
func (p *Page) imports(w http.ResponseWriter, v *visit) error {
	list, err := p.o.Client.Imports(v.Context(), status.Query{Owner: v.owner, Limit: pageSize, After: v.URL.Query().Get("after")})
	if err != nil {
		return err
	}
	failures, err := p.o.Client.DeadLetters(v.Context(), replay.Filter{Owner: v.owner, Limit: pageSize})
	if err != nil {
		return err
	}
	list.Imports = slices.DeleteFunc(list.Imports, func(r status.Row) bool { return r.Owner != v.owner || r.Drop == state.OwnerJob })
	p.render(w, v, http.StatusOK, "imports", "Imports", map[string]any{"Rows": list.Imports, "Next": list.Next, "Failures": failures.Letters, "Max": p.o.MaxUpload})
	return nil
}

// findImport is an import of the owner.
func (p *Page) findImport(v *visit) (status.Row, error) {
	row, err := pipeline.FindImport(v.Context(), p.o.Client, v.owner, v.PathValue("drop"))
	if err != nil || row.Owner != v.owner {
		return row, notFoundError{"There is no such import."}
	}
	return row, nil
}

// oneImport shows an import: its progress, or its report.
func (p *Page) oneImport(w http.ResponseWriter, v *visit) error {
	row, err := p.findImport(v)
	if err != nil {
		return err
	}
	data := map[string]any{"Row": row, "Live": row.IsOpen(), "Percent": percentOf(row), "CanErase": p.o.Eraser != nil && !row.IsOpen() && row.Gen > 0 && row.State != status.StateErased}
	if !row.IsOpen() && row.State != status.StateUnreadable {
		report, err := p.o.Client.Report(v.Context(), row.Ref(), row.Gen)
		if err != nil {
			return err
		}
		data["Report"], data["Sums"], data["Notes"] = report, sumsOf(&report), notesOf(&report)
	}
	if data["Recognized"], err = p.recognized(v.Context(), &row); err != nil {
		return err
	}
	failures, err := p.o.Client.DeadLetters(v.Context(), replay.Filter{Owner: v.owner, Drop: row.Drop, WrongUploads: true, Limit: pageSize})
	if err != nil {
		return err
	}
	data["Failures"] = failures.Letters
	p.render(w, v, http.StatusOK, "import", "Import", data)
	return nil
}

// percentOf is how much of an import is done, as far as that is known.
func percentOf(r status.Row) int {
	switch {
	case r.State == status.StateReading && r.BytesTotal > 0:
		return int(60 * r.BytesRead / r.BytesTotal)
	case r.State == status.StateExtracting && r.Shards > 0:
		return 60 + 30*r.Extracted/r.Shards
	case r.State == status.StateAssembling:
		return 92
	case r.IsOpen():
		return 3
	}
	return 100
}

// retry has the failed work of an import done again.
func (p *Page) retry(w http.ResponseWriter, v *visit) error {
	row, err := p.findImport(v)
	if err != nil {
		return err
	}
	if _, err := p.o.Client.Redrive(v.Context(), job.Ref{Owner: v.owner, Drop: row.Drop}); err != nil {
		return err
	}
	seeOther(w, v, "imports/%s?notice=retry", row.Drop)
	return nil
}

// again has the archive of an import read again: a newer pamline may read what could not be read.
func (p *Page) again(w http.ResponseWriter, v *visit) error {
	row, err := p.findImport(v)
	if err != nil {
		return err
	}
	if row.IsOpen() || row.Gen == 0 {
		return wrongError{"This import is running, or there is nothing to read again."}
	}
	if _, err := p.o.Client.Ask(v.Context(), job.Ref{Owner: v.owner, Drop: row.Drop}, job.Want{Lane: dispatch.LaneOf(row.Bytes)}); err != nil {
		return err
	}
	seeOther(w, v, "imports/%s?notice=again", row.Drop)
	return nil
}

// Server-sent events: how often progress is looked at, and for how long one stream lasts. A browser
// opens the next one by itself.
const (
	eventPace  = 400 * time.Millisecond
	eventLimit = 10 * time.Minute
)

// progress is what an event tells.
type progress struct {
	State   string `json:"state"`
	Text    string `json:"text"`
	Percent int    `json:"percent"`
	Ended   bool   `json:"ended,omitempty"`
}

// events streams the progress of an import until it ends.
func (p *Page) events(w http.ResponseWriter, v *visit) error {
	row, err := p.findImport(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	tick := time.NewTicker(eventPace)
	defer tick.Stop()
	for end, last := p.o.Now().Add(eventLimit), ""; ; {
		body, err := json.Marshal(progress{row.State, progressText(row), percentOf(row), !row.IsOpen()})
		if err != nil {
			return err
		}
		if text := string(body); text != last {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", body); err != nil {
				return nil //nolint:nilerr // the browser is gone
			}
			if err := control.Flush(); err != nil {
				return nil //nolint:nilerr // as above
			}
			last = text
		}
		if !row.IsOpen() || p.o.Now().After(end) {
			return nil
		}
		select {
		case <-v.Context().Done():
			return nil
		case <-tick.C:
		}
		if row, err = p.findImport(v); err != nil {
			return nil //nolint:nilerr // the answer has begun; the page shows the error when it reloads
		}
	}
}

func progressText(r status.Row) string {
	words := []string{strings.ToUpper(r.State[:1]) + r.State[1:]}
	if r.Conversations > 0 {
		words = append(words, plural(r.Conversations, "conversation", "conversations"))
	}
	if len(r.Providers) > 0 {
		words = append(words, "recognized as "+providerName(r.Providers[0]))
	}
	return strings.Join(words, ", ")
}
