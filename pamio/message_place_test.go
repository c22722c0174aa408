package pamio

import (
	"reflect"
	"testing"
)

func TestAMessageIsReadFromItsPlace(t *testing.T) {
	for _, c := range []*Conversation{bigConversation(), sampleConversation()} {
		text := c.AppendJSON(nil)
		doc, places, err := ParsePlaced(text)
		if err != nil || len(places) != len(doc.Messages) || len(places) == 0 {
			t.Fatalf("%d places of %d messages, %v", len(places), len(doc.Messages), err)
		}
		for i, p := range places {
			m, err := ParseMessage(text[p.Start:p.End])
			if err != nil || !reflect.DeepEqual(*m, doc.Messages[i]) {
				t.Errorf("message %d: %+v, want %+v, %v", i, m, doc.Messages[i], err)
			}
		}
	}
	for _, text := range []string{"", "{", "null", "[]", `{"role":7}`, `{"id":"a"} x`} {
		if _, err := ParseMessage([]byte(text)); err == nil {
			t.Errorf("%q is read as a message", text)
		}
	}
	if _, _, err := ParsePlaced([]byte("{}")); err == nil {
		t.Error("a document without a schema is read")
	}
}
