package chatgpt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// talks makes conversations with ids c0, c1, …
func talks(n int) (out []string) {
	for i := range n {
		out = append(out, conv(fmt.Sprint("c", i)))
	}
	return out
}

func listOf(elements ...string) string { return "[" + strings.Join(elements, ",") + "]" }

// pageOf makes the page of an export.
func pageOf(elements ...string) string {
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(listOf(elements...))
	return "<html><script>var jsonData = " + escaped + ";\nvar assetsJson = {};</script></html>"
}

// namesOf are the conversations that were read, sorted, with how often each was.
func namesOf(o outcome) (names []string) {
	for _, s := range o.snapshots {
		names = append(names, s.Doc.Provider.ConversationID)
	}
	slices.Sort(names)
	return names
}

func namesTo(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint("c", i))
	}
	slices.Sort(names)
	return names
}

func (o outcome) has(line string) bool { return slices.Contains(o.lines, line) }

func TestConversationsBehindABreakOfTheJSONComeFromThePage(t *testing.T) {
	all := talks(192)
	whole := listOf(all...)
	for name, data := range map[string]string{
		"cut inside the second":                          whole[:len(all[0])+40],
		"cut inside the last":                            whole[:len(whole)-20],
		"no closing bracket":                             whole[:len(whole)-1],
		"one element damaged":                            strings.Replace(whole, `"conversation_id":"c7","title":"T"`, `"conversation_id":"c7","title":T"`, 1),
		"an element is not JSON, with balanced brackets": strings.Replace(whole, `"conversation_id":"c9","title":"T"`, `"conversation_id":"c9","title":nil`, 1),
		"a null in the place of one":                     strings.Replace(whole, all[3], "null", 1),
	} {
		t.Run(name, func(t *testing.T) {
			out := read(t, pack(t, "chat.html", pageOf(all...), "conversations.json", data), importer.Limits{})
			if got := namesOf(out); !slices.Equal(got, namesTo(192)) {
				t.Errorf("%d conversations, want 192 of them once each", len(got))
			}
			taken := 0
			for _, s := range out.snapshots {
				taken += s.Anomalies["read_from_chat_html"]
			}
			repeated := 192 - taken
			if name == "no closing bracket" {
				if taken != 0 || !out.has("chat.html: skip repeated-in-page 192") {
					t.Errorf("%d were taken from the page", taken)
				}
				return
			}
			if taken == 0 || !out.has(fmt.Sprintf("chat.html: skip repeated-in-page %d", repeated)) {
				t.Errorf("%d were taken from the page; %q", taken, out.lines[max(0, len(out.lines)-3):])
			}
			if out.has("chat.html: skip duplicate-of-json 1") {
				t.Error("the page is called a duplicate")
			}
		})
	}
}

// Wherever the JSON is cut, nothing is missing and nothing is read twice.
func TestEveryCutOfTheJSONIsMadeUpForByThePage(t *testing.T) {
	all := talks(4)
	whole := listOf(all...)
	for at := range len(whole) {
		out := read(t, pack(t, "chat.html", pageOf(all...), "conversations.json", whole[:at]), importer.Limits{})
		if got := namesOf(out); !slices.Equal(got, namesTo(4)) {
			t.Fatalf("cut at %d: %q\n%s", at, got, strings.Join(out.lines, "\n"))
		}
		if out.has("chat.html: skip duplicate-of-json 1") {
			t.Fatalf("cut at %d: the page is called a duplicate", at)
		}
	}
}

func TestTheFaultOfAJSONFileSaysWhatThePageGave(t *testing.T) {
	all := talks(5)
	whole := listOf(all...)
	broken := whole[:len(all[0])+40]
	for _, c := range []struct{ name, page, want string }{
		{"a whole page", pageOf(all...), "4 of them, were read from chat.html"},
		{"a page with nothing more", pageOf(all[0]), "chat.html has no conversation that the JSON files lack"},
		{"a damaged page", pageOf(all...)[:len(pageOf(all...))-200], "3 conversations that the JSON files lack were read from chat.html, which is damaged as well"},
		{"a page without data", "<html></html>", "those behind it that can be recognized"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reasons []string
			r := readPlain(t, chatgpt.New(), importertest.Files("chat.html", c.page, "conversations.json", broken)...)
			for _, q := range r.Quarantined() {
				reasons = append(reasons, q.Member+": "+q.Reason)
			}
			if len(reasons) == 0 || !strings.HasPrefix(reasons[0], "conversations.json") || !strings.HasSuffix(reasons[0], c.want) {
				t.Errorf("reasons %q, want the first to end with %q", reasons, c.want)
			}
			if both := len(reasons) == 2; both != (c.name == "a damaged page") {
				t.Errorf("%d units are quarantined: %q", len(reasons), reasons)
			}
		})
	}
}

func TestAPageIsCalledADuplicateOnlyIfItIs(t *testing.T) {
	all := talks(3)
	for _, c := range []struct {
		name, page, json string
		want             []string // lines of the page
		read             int
	}{
		{"the same", pageOf(all...), listOf(all...), []string{"chat.html: skip duplicate-of-json 1"}, 3},
		{"fewer in the page", pageOf(all[0]), listOf(all...), []string{"chat.html: skip duplicate-of-json 1"}, 3},
		{"more in the page, as where a shard is missing", pageOf(all...), listOf(all[:1]...), []string{"chat.html#1@323: conversation c1", "chat.html#2@616: conversation c2", "chat.html: skip repeated-in-page 1"}, 3},
		{"a page without data", "<html>nothing</html>", listOf(all...), []string{"chat.html: skip page-without-conversations 1"}, 3},
		{"an empty page", pageOf(), listOf(all...), []string{"chat.html: skip page-without-conversations 1"}, 3},
		{"a page that is cut, beside whole JSON", pageOf(all...)[:400], listOf(all...), []string{"chat.html: skip page-damaged 1"}, 3},
		{"a page that is cut, beside JSON with too little", pageOf(all...)[:700], listOf(all[:1]...), []string{"chat.html#1@323: conversation c1", "chat.html#2@616: truncated", "chat.html: skip repeated-in-page 1"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := read(t, pack(t, "chat.html", c.page, "conversations.json", c.json), importer.Limits{})
			var got []string
			for _, l := range out.lines {
				if strings.HasPrefix(l, "chat.html") {
					got = append(got, l)
				}
			}
			if !slices.Equal(got, c.want) || len(out.snapshots) != c.read {
				t.Errorf("%d conversations, lines %q, want %d and %q", len(out.snapshots), got, c.read, c.want)
			}
		})
	}
}

func TestAPageUnderAnotherNameIsATwinAsWell(t *testing.T) {
	all := talks(3)
	out := read(t, pack(t, "x/chat (1).html", pageOf(all...), "x/conversations-000.json", listOf(all[0]), "x/notes.html", "<p>notes</p>"), importer.Limits{})
	if got := namesOf(out); !slices.Equal(got, namesTo(3)) || !out.has("x/notes.html: unclaimed") {
		t.Errorf("conversations %q, lines %q", got, out.lines)
	}
}

// Two exports in one drop: an older state of a conversation in one of them is no reason to pass
// over a newer one.
func TestThePageOfABrokenExportIsNotMeasuredByAnOlderExport(t *testing.T) {
	at := func(id string, update int) string {
		return strings.Replace(conv(id), `"create_time":1700000000`, fmt.Sprintf(`"create_time":1700000000,"update_time":%d`, update), 1)
	}
	older := listOf(at("c0", 1700000100), at("c1", 1700000100))
	newer := []string{at("c0", 1700000900), at("c1", 1700000900), at("c2", 1700000900)}
	out := read(t, pack(t,
		"old/conversations.json", older, "old/chat.html", pageOf(at("c0", 1700000100), at("c1", 1700000100)),
		"new/conversations.json", listOf(newer...)[:len(newer[0])+30], "new/chat.html", pageOf(newer...)), importer.Limits{})
	if got, want := namesOf(out), []string{"c0", "c0", "c1", "c1", "c2"}; !slices.Equal(got, want) {
		t.Errorf("conversations %q, want %q", got, want)
	}
	if !out.has("old/chat.html: skip repeated-in-page 2") {
		t.Errorf("lines %q", out.lines)
	}
}

func TestWhatSidecarsSayIsJoinedToConversationsOfThePage(t *testing.T) {
	all := talks(2)
	out := read(t, pack(t, "chat.html", pageOf(all...), "conversations.json", listOf(all...)[:len(all[0])+40],
		"message_feedback.json", `[{"id":"m","conversation_id":"c1","rating":"thumbsUp","create_time":"2024-04-25T00:00:00Z"}]`), importer.Limits{})
	for _, s := range out.snapshots {
		if s.Doc.Provider.ConversationID == "c1" && !strings.Contains(string(s.Doc.AppendJSON(nil)), "thumbsUp") {
			t.Error("the feedback is not in the document")
		}
	}
	for _, l := range out.lines {
		if strings.Contains(l, "record feedback") {
			t.Errorf("the feedback became a record: %s", l)
		}
	}
}

func TestVersionsBefore202612DoNotReadThePage(t *testing.T) {
	all := talks(3)
	for _, imp := range chatgpt.Versions()[1:] {
		out := readWith(t, imp, pack(t, "chat.html", pageOf(all...), "conversations.json", listOf(all...)[:len(all[0])+40]), importer.Limits{})
		if len(out.snapshots) != 1 || !out.has("chat.html: skip duplicate-of-json 1") {
			t.Errorf("%s: %q", imp.Version(), out.lines)
		}
	}
}
