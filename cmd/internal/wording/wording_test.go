package wording

import "testing"

func TestNotesAreSentences(t *testing.T) {
	for _, c := range []struct {
		code string
		n    int
		want string
	}{
		{"message_id_differs", 26, "26 messages have two different ids (kept unchanged)"},
		{"unknown_block_type", 27, "27 blocks are of an unknown kind (kept unchanged)"},
		{"unknown_tool_call", 1, "1 tool call is of an unknown kind (kept unchanged)"},
		{"unknown_columns", 2, "2 columns are of an unknown kind (kept unchanged)"},
		{"no_words_yet", 3, "3 × no words yet (kept unchanged)"},
	} {
		if got := Note(c.code, c.n); got != c.want {
			t.Errorf("%s: %q, want %q", c.code, got, c.want)
		}
	}
}
