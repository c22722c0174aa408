package pipeline

import (
	"strings"
	"testing"
)

// of gives the messages of a stage that wait.
func (h *byHand) of(stage string) (out [][]byte) {
	for _, m := range h.queue {
		if strings.HasPrefix(m.Subject, "pam."+stage+".") {
			out = append(out, m.Data)
		}
	}
	return out
}

// one works on the first message.
func (h *byHand) one(t *testing.T) {
	t.Helper()
	m := h.queue[0]
	h.queue = h.queue[1:]
	h.deliver(t, m)
}

// Going back to an import that had ended well fails. Its markers had gone with its work, and asking once more makes them again.
func TestAnImportWhoseReturnFailedCanBeAskedForAgain(t *testing.T) {
	d, _, drop := onMemory(t)
	h := newByHand(t, d, broker(t))
	for _, extractor := range []string{"harvest", "rules"} {
		h.submit(t, asking(d, drop, extractor))
		h.work(t)
	}
	h.submit(t, asking(d, drop, "harvest"))
	h.one(t)
	tasks := h.of(StageAssemble)
	if len(tasks) != 1 {
		t.Fatalf("%d messages", len(tasks))
	}
	h.queue = nil
	if err := h.giveUpAssemble(t.Context(), tasks[0], errCut); err != nil {
		t.Fatal(err)
	}
	if err := h.endAssemble(t.Context(), tasks[0], errCut); err != nil {
		t.Fatal(err)
	}
	h.submit(t, asking(d, drop, "harvest"))
	h.work(t)
	if got, left := accepted(t, d, drop); got != "harvest" || len(left) > 0 {
		t.Errorf("the store has what %q gives; requests left: %v", got, left)
	}
}
