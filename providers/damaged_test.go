package providers_test

import (
	"testing"

	"github.com/pamline/pamline/providers"
)

// What bears the name of JSON and is none is not only passed over: a person may miss what was in
// it.
func TestAMemberThatIsNotWhatItsNameSaysIsDamaged(t *testing.T) {
	d, err := providers.Default().Detect(t.Context(), open(t, "conversations.json", chat, "chats/torn.json", "\x01\x02 noise", "notes.jsonl", "plain words", "readme.txt", "words", "empty.json", ""), providers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range d.Unclaimed {
		want := u.Member.Name == "chats/torn.json" || u.Member.Name == "notes.jsonl"
		if d.Missed[u.Member.Index] != want {
			t.Errorf("%s (%s): damaged %v, want %v", u.Member.Name, u.Reason, !want, want)
		}
	}
	if len(d.Unclaimed) != 4 {
		t.Errorf("%d members are unclaimed, want 4", len(d.Unclaimed))
	}
}
