package extraction

import (
	"testing"

	"github.com/pamline/pamline/extract/gate"
)

func TestAMemoryWithASecretIsMadePrivateAndKeepsItsWords(t *testing.T) {
	key := "sk-proj-" + "Zk3vN8qLw2XyT5rBm9HcJ4pQa7DfGe6U1oVi0WsRtYuIoPa"
	for _, c := range []struct{ element, want, reason string }{
		{`{"content":"The API key is ` + key + `.","id":"m","tags":["own"]}`,
			`{"access":{"exportable":true,"shared_with":[],"visibility":"private"},"content":"The API key is ` + key + `.","id":"m","metadata":{"sensitive":"secret"},"tags":["own","sensitive"]}`,
			gate.Secret},
		{`{"access":{"exportable":false,"shared_with":[{"entity":"did:web:anna.example","permissions":["read"]}],"visibility":"public"},"content":"Has a card.","metadata":{"n":1e2,"sensitive":"health"},"summary":"The card is 4111 1111 1111 1111."}`,
			`{"access":{"exportable":false,"shared_with":[{"entity":"did:web:anna.example","permissions":["read"]}],"visibility":"private"},"content":"Has a card.","metadata":{"n":100,"sensitive":"health"},"summary":"The card is 4111 1111 1111 1111.","tags":["sensitive"]}`,
			gate.Payment},
		{`{"content":"Lost a password.","tags":[]}`, `{"content":"Lost a password.","tags":[]}`, ""},
	} {
		out, reason, err := restrictSecrets([]byte(c.element))
		if err != nil || string(out) != c.want || reason != c.reason {
			t.Errorf("%s\ngot  %s %q %v\nwant %s %q", c.element, out, reason, err, c.want, c.reason)
		}
		if again, _, err := restrictSecrets(out); err != nil || string(again) != string(out) {
			t.Errorf("a second time: %s, %v", again, err)
		}
	}
}
