package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/state"
)

func TestAStoreIsListedFilteredAndLinkedBothWays(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "plain words")
	v := s.letIn(t, "ann")
	for path, want := range map[string][]string{
		"conversations":                          {"plain words", "3 messages", "2 memories"},
		"conversations?title=PLAIN":              {"plain words"},
		"conversations?since=2025":               {"No conversation fits"},
		"conversations?until=2024-03":            {"3 messages"},
		"conversations/" + talkID:                {"Memories from here", "memories/" + noteID, "branch 2 of 2", "Thought"},
		"conversations/" + talkID + "?branch=1":  {"1/2", "Tool call"},
		messagePath(talkID, "m 1", &span{6, 11}): {"Likes <mark>plain</mark> words"},
		"memories":                               {"Likes green tea", "conversations/" + talkID + "?mark=0-5"},
		"memories?sensitive=yes":                 {"No memory fits"},
		"memories/" + noteID:                     {"Contradicts", "memories/" + otherID, "<mark>Likes</mark>"},
		"review":                                 {"2 contradictions"},
		"search?q=green":                         {"<mark>green</mark>", "memories/" + otherID},
		"timeline":                               {"2024-03", "<rect"},
		"store":                                  {"Storage used", "Conversations"},
	} {
		code, body := v.get(Base + path)
		for _, text := range want {
			if code != http.StatusOK || !strings.Contains(body, text) {
				t.Errorf("%s: %d without %q: %s", path, code, text, body[strings.Index(body, "<main"):])
			}
		}
	}
	if code, body, _ := v.send(http.MethodPost, Base+"store/validate", "", nil); code != http.StatusOK || !strings.Contains(body, "The store is not valid") || !strings.Contains(body, "errors") {
		t.Errorf("%d %s", code, body)
	}
	for path, want := range map[string]int{
		"conversations/" + noteID: 404, "memories/" + talkID: 404, "conversations/" + talkID + "?branch=7": 404, "conversations?page=x": 404, "conversations?since=soon": 400, "search?q=%22": 400, "assets/none.png": 404,
	} {
		if code, body := v.get(Base + path); code != want || !strings.Contains(body, "<h1>") {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
	}
}

func TestAnOwnerWithoutAStoreIsLedToImports(t *testing.T) {
	s := serveSite(t, 1<<20)
	v := s.letIn(t, "ann")
	if code, body := v.get(Base); code != http.StatusOK || !strings.Contains(body, "Drop an export here") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := v.get(Base + "memories"); code != http.StatusNotFound || !strings.Contains(body, "nothing here yet") {
		t.Errorf("%d %s", code, body)
	}
}

// What is published anew is shown and found, and what is erased is neither.
func TestANewExportTakesThePlaceOfTheOld(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "first words")
	v := s.letIn(t, "ann")
	v.get(Base + "search?q=first")
	putStore(t, s.store, "ann", "second text")
	head, _, err := state.ReadHead(t.Context(), s.store, "ann")
	if err != nil {
		t.Fatal(err)
	}
	<-s.shelves.of("ann").refresh(head)
	for path, want := range map[string]string{"memories": "second text", "search?q=second": "<mark>second</mark>", "search?q=first": "Nothing has these words"} {
		if _, body := v.get(Base + path); !strings.Contains(body, want) || strings.Contains(body, "first words") {
			t.Errorf("%s: %s", path, body[strings.Index(body, "<main"):])
		}
	}
}

func TestADamagedConversationSaysWhatToDo(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "plain words")
	for o, err := range s.store.List(t.Context(), state.OwnerKey("ann", "conversations/")) {
		if err != nil {
			t.Fatal(err)
		}
		putObject(t, s.store, o.Key, "{}")
	}
	code, body := s.letIn(t, "ann").get(Base + "conversations/" + talkID)
	if code != http.StatusInternalServerError || !strings.Contains(body, "pamline fsck --repair") {
		t.Errorf("%d %s", code, body)
	}
}
