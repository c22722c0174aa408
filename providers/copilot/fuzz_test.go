package copilot_test

import (
	"testing"

	"github.com/pamline/pamline/providers/copilot"
	"github.com/pamline/pamline/providers/importer"
)

func FuzzCopilotUnits(f *testing.F) {
	f.Add([]byte(`{"header":"Conversation,Time,Author,Message","rows":[{"row":"Tea,2026-02-17T14:36:11,AI,x"}]}`))
	f.Add([]byte(`{"header":"Timestamp,ClientApp,Prompt","dates":"day-first","rows":[{"row":"\"1/2/2026 3:04 PM\",x,\"y"},null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "conversations"}, raw) })
}

// Whatever the bytes are, every row is in a message or in a located error, and the file is read to
// its end.
func FuzzCopilotTables(f *testing.F) {
	for _, s := range []string{history, chat, windows, headerOnly, "Conversation,Time,Author,Message\n\"a,2026-01-01T00:00:00,AI,\"b\nc,2026-01-01T00:00:00,AI,\"d\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		end := int64(-1)
		for u, err := range copilot.New().Split(t.Context(), claim(member(data)), importer.Limits{MaxConversation: 4096}) {
			switch {
			case err != nil:
				t.Fatal(err)
			case u.Err != nil:
				if u.Err.Offset < 0 || u.Err.Code == "" || u.Err.Reason == "" {
					t.Errorf("not located: %+v", *u.Err)
				}
			case u.Offset <= end && end > 0:
				t.Errorf("a unit at %d behind one at %d", u.Offset, end)
			default:
				end = u.Offset
				format.Fuzz(t, u, u.Raw)
			}
		}
	})
}
