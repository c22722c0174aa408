package gate

import (
	"os"
	"strings"
	"testing"
)

// lines are those of a file in testdata, without comments, by the heading above them.
func lines(t testing.TB, file string) (all []string, heading map[string]string) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	heading = map[string]string{}
	head := ""
	for line := range strings.SplitSeq(string(b), "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
			head = line[2:]
		case line != "":
			all = append(all, line)
			heading[line] = head
		}
	}
	return all, heading
}

func TestHarmlessSentencesPass(t *testing.T) {
	all, language := lines(t, "harmless.txt")
	if len(all) < 230 {
		t.Fatalf("only %d", len(all))
	}
	for _, text := range all {
		if v := Screen(text); v.Reason != "" || v.Redacted != text || len(v.Found) > 0 {
			t.Errorf("%s: %q is taken for %v", language[text], text, v.Found)
		}
	}
	// Together they are a text of ordinary length, in which numbers and names have other
	// neighbours.
	for _, joint := range []string{". ", "\n", "; "} {
		if v := Screen(strings.Join(all, joint)); len(v.Found) > 0 {
			t.Errorf("joined by %q they have %v", joint, v.Found)
		}
	}
}
