package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/status"
)

// failing is a client with an import of ann of which a part has failed.
type failing struct {
	idle
	redriven []job.Ref
}

var failedDrop = strings.Repeat("ab", 32)

func (f *failing) Imports(_ context.Context, q status.Query) (page status.Page, err error) {
	row := status.Row{Owner: "ann", Drop: failedDrop, Gen: 1, Import: strings.Repeat("cd", 16), State: state.StateLosses, Files: []string{"export.zip"}, Providers: []string{"chatgpt"}}
	if q.Owner == "ann" && (q.ID == "" || strings.HasPrefix(row.Drop, q.ID)) {
		page.Imports = append(page.Imports, row)
	}
	return page, nil
}

func (f *failing) Report(context.Context, job.Ref, int) (state.Receipt, error) {
	return state.Receipt{Owner: "ann", Drop: failedDrop, State: state.StateLosses, Counts: state.Counts{Conversations: 5, Quarantined: 2, Records: map[string]int64{"memory": 3}}}, nil
}

func (f *failing) DeadLetters(_ context.Context, filter replay.Filter) (page replay.LetterPage, err error) {
	if filter.Owner == "ann" {
		page.Letters = append(page.Letters, replay.DeadLetter{Owner: "ann", Drop: failedDrop, Class: fault.Permanent, Attempts: 4, Reason: "the model did not answer", Hint: "Start the model."})
	}
	return page, nil
}

func (f *failing) Redrive(_ context.Context, ref job.Ref) (job.Asked, error) {
	f.redriven = append(f.redriven, ref)
	return job.Asked{Gen: 2}, nil
}

func TestAFailureIsShownWithItsReasonAndTriedAgain(t *testing.T) {
	s := serveStore(t, statetest.New(), 1<<20)
	client := &failing{}
	s.o.Client = client
	ann, bob := s.letIn(t, "ann"), s.letIn(t, "bob")
	for _, path := range []string{"imports", "imports/" + failedDrop} {
		if _, body := ann.get(Base + path); !strings.Contains(body, "the model did not answer") || !strings.Contains(body, "Start the model.") || !strings.Contains(body, "Try again") {
			t.Errorf("%s: %s", path, body)
		}
	}
	_, body := ann.get(Base + "imports/" + failedDrop)
	if !strings.Contains(body, "Found in the export</th><td class=\"number\">10</td>") {
		t.Errorf("the sums do not add up: %s", body)
	}
	retry := Base + "imports/" + failedDrop + "/retry"
	if code, _, _ := bob.send(http.MethodPost, retry, "", nil); code != http.StatusNotFound || len(client.redriven) > 0 {
		t.Errorf("bob retries an import of ann: %d", code)
	}
	code, body, _ := ann.send(http.MethodPost, retry, "", nil)
	if code != http.StatusOK || !strings.Contains(body, "being tried again") || len(client.redriven) != 1 || client.redriven[0] != (job.Ref{Owner: "ann", Drop: failedDrop}) {
		t.Errorf("%d %v %s", code, client.redriven, body)
	}
	if code, body := ann.get(Base + "imports/" + failedDrop + "/events"); code != http.StatusOK || !strings.Contains(body, `"ended":true`) {
		t.Errorf("%d %s", code, body)
	}
}
