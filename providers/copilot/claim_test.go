package copilot_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/copilot"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

func TestColumnsInAnyOrderAndCase(t *testing.T) {
	for _, table := range []string{
		crlf(` MESSAGE ,author,"Time",conversation`, `"hello, you",human,2026-02-17T14:36:11,Tea`),
		crlf(`Conversation;Extra;Time;Author;Message`, `Tea;x;2026-02-17T14:36:11;Human;hello, you`),
		crlf(`"Conversation";"Time";"Author";"Message"`, `"Tea";"2026-02-17T14:36:11";"Human";"hello, you"`),
		crlf("Conversation\tTime\tAuthor\tMessage", "Tea\t2026-02-17T14:36:11\tuser\thello, you"),
	} {
		want(t, read(t, table).Conversations()[0], "Tea", "user 2026-02-17T14:36:11Z hello, you")
	}
	r := format.Read(t, importertest.File{Name: "copilot-in-Microsoft-365-apps-activity.csv", Data: []byte(crlf("Date,App,Sender,Prompt", "2026-02-17T14:36:11,Word,user,hello"))})
	if s := r.Conversations()[0]; s.Anomalies[importer.AnomalyUnknownVariant] != 1 || s.Doc.Provider.ExportFormatVersion != "unknown" {
		t.Errorf("columns that nobody has seen: %v", s.Anomalies)
	}
}

// Case 21 of the reference SDK's failures: any folder with a CSV file became a bundle of Copilot's
// without conversations.
func TestOtherTablesAreNotClaimed(t *testing.T) {
	for name, data := range map[string]string{
		"bank.csv":          crlf("Date,Amount,Message", "2026-01-01,5,tea"),
		"chat.csv":          crlf("Time,Author,Message", "2026-01-01T00:00:00,Human,hello"),
		"prompts.csv":       crlf("Timestamp,Prompt", "2026-01-01T00:00:00,hello"),
		"empty.csv":         "",
		"blank.csv":         "\r\n\r\n",
		"list.json":         `["Conversation,Time,Author,Message"]`,
		"no-table.csv":      "just a text",
		"quote.csv":         `"Conversation,Time,Author,Message`,
		"copilot-other.csv": crlf("a,b,c", "1,2,3"),
	} {
		r := format.Read(t, importertest.File{Name: name, Data: []byte(data)})
		if len(r.Claim.Members)+len(r.Claim.Refused) != 0 {
			t.Errorf("%s: %+v", name, r.Claim)
		}
	}
	r := importertest.Read(t, copilot.New(), importer.Limits{},
		importertest.File{Name: "audit.csv", Data: []byte(crlf("RecordId,CreationDate,RecordType,Operation,UserId,AuditData", "1,2,3,4,5,6"))},
		importertest.File{Name: "copilot-activity-history.csv", Data: []byte(crlf("Unterhaltung,Zeit,Wer,Nachricht", "1,2,3,4"))})
	if len(r.Claim.Members) != 0 || len(r.Claim.Refused) != 2 || !strings.Contains(r.Claim.Refused[0].Reason, "audit log") {
		t.Errorf("%+v", r.Claim)
	}
}

func TestADamagedFileOfCopilotsOwnNameIsReported(t *testing.T) {
	damaged := func(name string) archive.Member {
		return archive.NewMember(name, 10, 0, func(context.Context) (io.ReadCloser, error) { return nil, errors.New("the checksum differs") })
	}
	imp := copilot.New()
	c, err := imp.Claim(t.Context(), []archive.Member{damaged("copilot-activity-history (1).csv"), damaged("other.csv")}, importertest.Peek, importer.Limits{})
	if err != nil || len(c.Members) != 1 {
		t.Fatalf("%d members: %v", len(c.Members), err)
	}
	n := 0
	for u, err := range imp.Split(t.Context(), c, importer.Limits{}) {
		if n++; err != nil || u.Err == nil || u.Err.Code != "unreadable_member" || !strings.Contains(u.Err.Reason, "checksum") {
			t.Errorf("%v, %+v", err, u.Err)
		}
	}
	if n != 1 {
		t.Errorf("%d units", n)
	}
}

// Case 48 of the reference SDK's failures: a table that was given by itself, not in an archive.
func TestABareTable(t *testing.T) {
	r := importertest.ReadParts(t, copilot.New(), importer.Limits{}, []byte(history))
	format.Check(t, r)
	if len(r.Conversations()) != 3 || len(r.Quarantined()) != 0 {
		t.Errorf("%d conversations, quarantined %v", len(r.Conversations()), r.Quarantined())
	}
}
