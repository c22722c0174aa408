package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestTombstonesReachEveryRoute is the deletion probe (L2-2): a word of what the tombstones of
// another bundle name lies nowhere any more, in no form, and no route gives it.
func TestTombstonesReachEveryRoute(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts forty commands; the script tombstones does the same with fewer exports")
	}
	const word, other = "qzv1burg", "qzv2burg"
	p := newHome(t, "--set", "encryption.new=false")
	export, given, next := p.path("files", "a.json"), p.path("files", "given.mem"), p.path("files", "next.mem")
	if err := os.WriteFile(export, []byte(talksAbout("zv", 2, 1, 2, 3)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("me", "import", export)
	p.run("me", "convert", "--to", "mem", "-o", given, "me")
	p.run("you", "import", given)
	p.run("you", "search", word)
	if found := filesWith(t, p.path("data"), word); len(found) == 0 {
		t.Fatal("the probe finds nothing before the erasure")
	}

	p.run("me", "erase", "--yes", "--conversation", conversationAbout(t, given, word))
	p.run("me", "convert", "--to", "mem", "--since", given, "-o", next, "me")
	p.run("you", "erase", "--yes", "--tombstones", next, "--accept-all-deletions")
	probe := func(when string) {
		t.Helper()
		if found := filesWith(t, p.path("data"), word); len(found) > 0 {
			t.Errorf("%s: it lies in %q", when, found)
		}
		out := t.TempDir()
		for name, args := range map[string][]string{
			"pam": {"export", "-o", out + "/pam"}, "mem": {"convert", "--to", "mem", "-o", out + "/mem", "you"}, "since": {"convert", "--to", "mem", "--since", given, "-o", out + "/since", "you"},
			"evidence": {"convert", "--to", "mem", "--evidence", "-o", out + "/evidence", "you"}, "mif": {"convert", "--to", "mif", "-o", out + "/mif.json", "you"},
			"memories": {"memories"}, "conversations": {"conversations"}, "notes": {"render", "--for", "obsidian", "--sensitive", "-o", out + "/notes"},
		} {
			if said := p.run("you", args...); strings.Contains(strings.ToLower(said), word) {
				t.Errorf("%s: pamline %s gives it: %s", when, name, said)
			}
		}
		if found := filesWith(t, out, word); len(found) > 0 {
			t.Errorf("%s: an export holds it: %q", when, found)
		}
		if found := filesWith(t, out, other); len(found) == 0 {
			t.Errorf("%s: the exports do not hold the others either", when)
		}
	}
	probe("after the erasure")
	p.run("you", "import", given)
	probe("after an old bundle was imported")
}

// conversationAbout is the id of the conversation of a bundle whose title has a word.
func conversationAbout(t *testing.T, bundle, word string) string {
	t.Helper()
	text, err := os.ReadFile(bundle + "/items/context.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var c struct{ ID, Label string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(c.Label), word) {
			return c.ID
		}
	}
	t.Fatal("no conversation has the word")
	return ""
}
