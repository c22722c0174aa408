package harvest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pamio"
)

func ptr(s string) *string { return &s }

// conversation is one with an account, a start and the messages given.
func conversation(messages ...pamio.Message) *pamio.Conversation {
	return &pamio.Conversation{
		ID:       "11111111-1111-5111-8111-111111111111",
		Provider: pamio.Provider{Name: "chatgpt", ConversationID: "c", AccountID: "user-1"},
		Temporal: pamio.Span{CreatedAt: "2024-01-01T00:00:00Z"},
		Messages: messages,
	}
}

func plainText(s string) *pamio.Content { return &pamio.Content{Type: "text", Text: &s} }

func parts(texts ...string) *pamio.Content {
	c := &pamio.Content{Type: "multipart"}
	for _, t := range texts {
		c.Parts = append(c.Parts, pamio.Part{Type: "text", Text: &t})
	}
	return c
}

// found renders candidates as "type|content|pointer|observed".
func found(t *testing.T, doc *pamio.Conversation) []string {
	t.Helper()
	candidates, _ := New().Extract(doc, nil)
	var out []string
	for _, c := range candidates {
		if c.Platform != "chatgpt" || c.Method != "api_export" || c.Extractor != Version || c.Confidence != 0.9 || len(c.Evidence) != 1 {
			t.Errorf("candidate is %+v", c)
		}
		e := c.Evidence[0]
		if e.Conversation != doc.ID || e.AccountID != doc.Provider.AccountID || e.Message == "" || e.Start != 0 || e.End != 0 || e.Quote == "" {
			t.Errorf("evidence is %+v", e)
		}
		out = append(out, strings.Join([]string{c.Type, c.Content, e.Pointer, e.ObservedAt}, "|"))
	}
	return out
}

const (
	profile  = "The user provided the following information about themselves. This user profile is shown to you in all conversations they have.\nUser profile:\n```Preferred name: Ada\nI code in ``Go``.```"
	answers  = "The user provided the additional info about how they would like you to respond:\n```Be short. ```"
	hidden   = `"metadata":{"is_user_system_message":true},"created_at_source":"ancestor"`
	noTime   = `"created_at_source":"none"`
	ownTime  = "2024-02-02T00:00:00Z"
	began    = "2024-01-01T00:00:00Z"
	metaPath = "/mapping/n/message/metadata/user_context_message_data/"
)

func TestCustomInstructions(t *testing.T) {
	for _, c := range []struct {
		name    string
		content *pamio.Content
		raw     string
		want    []string
	}{
		{
			"the clean form is preferred", parts(profile, answers),
			`{"content":{"content_type":"user_editable_context"},"metadata":{"user_context_message_data":{"about_user_message":" I am Ada. ","about_model_message":"Be short."}}}`,
			[]string{"identity|Name is Ada.|" + metaPath + "about_user_message|" + ownTime, "instruction|Be short.|" + metaPath + "about_model_message|" + ownTime},
		},
		{
			"the wrapped form loses its wrapper", parts(profile, answers), `{"content":{"content_type":"user_editable_context"},` + hidden + `}`,
			[]string{"identity|Name is Ada.|/mapping/n/message/content/user_profile|" + began, "fact|Codes in ``Go``.|/mapping/n/message/content/user_profile|" + began, "instruction|Be short.|/mapping/n/message/content/user_instructions|" + began},
		},
		{
			"one clean, the other wrapped", parts(profile, ""),
			`{"content":{"content_type":"user_editable_context"},"metadata":{"user_context_message_data":{"about_model_message":"Be short."}}}`,
			[]string{"identity|Name is Ada.|/mapping/n/message/content/user_profile|" + ownTime, "fact|Codes in ``Go``.|/mapping/n/message/content/user_profile|" + ownTime, "instruction|Be short.|" + metaPath + "about_model_message|" + ownTime},
		},
		{
			"an empty first text does not shift the second", parts("", "Short."), `{"content":{"content_type":"user_editable_context"}}`,
			[]string{"instruction|Short.|/mapping/n/message/content/user_instructions|" + ownTime},
		},
		{
			"only the second field in the source", plainText("Short."), `{"content":{"content_type":"user_editable_context"},"text_from":["/user_instructions"]}`,
			[]string{"instruction|Short.|/mapping/n/message/content/user_instructions|" + ownTime},
		},
		{
			"the wrapper tells the field", plainText(answers), `{"content":{"content_type":"user_editable_context"}}`,
			[]string{"instruction|Be short.|/mapping/n/message/content/user_instructions|" + ownTime},
		},
		{
			"still in the residual", nil, `{"content":{"content_type":"user_editable_context","user_profile":"I am Ada.","user_instructions":"Be short."}}`,
			[]string{"identity|Name is Ada.|/mapping/n/message/content/user_profile|" + ownTime, "instruction|Be short.|/mapping/n/message/content/user_instructions|" + ownTime},
		},
		{
			"only the metadata has it, 2023", plainText(""), `{"metadata":{"user_context_message_data":{"about_user_message":"I am Ada."}}}`,
			[]string{"identity|Name is Ada.|" + metaPath + "about_user_message|" + ownTime},
		},
		{"a wrapper without a fence is left", plainText("The user provided nothing about themselves"), `{"content":{"content_type":"user_editable_context"}}`,
			[]string{"fact|Provided nothing about themselves.|/mapping/n/message/content/user_profile|" + ownTime}},
		{"a wrapper cut off in the fence", plainText("The user provided facts about themselves: ```I am tall and"), `{"content":{"content_type":"user_editable_context"}}`,
			[]string{"identity|Is tall.|/mapping/n/message/content/user_profile|" + ownTime}},
		{"nothing filled in", parts("", ""), `{"content":{"content_type":"user_editable_context"},"metadata":{"user_context_message_data":{}}}`, nil},
		{"talk about it is none", plainText("user_editable_context: I am Ada"), `{"content":{"content_type":"text"}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := found(t, conversation(pamio.Message{ID: "n", Role: "user", Content: c.content, CreatedAt: ownTime, RawMetadata: pamio.RawJSON(c.raw)}))
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%q, expected\n%q", got, c.want)
			}
		})
	}
}

func TestMemoryWrites(t *testing.T) {
	call := func(input string) []pamio.ToolCall {
		return []pamio.ToolCall{{ID: "n", Name: "bio", Input: pamio.RawJSON(input)}}
	}
	for _, c := range []struct {
		name string
		m    pamio.Message
		want []string
	}{
		{"text input", pamio.Message{ToolCalls: call(`"User prefers \"tea\".\n"`), RawMetadata: pamio.RawJSON(`{"recipient":"bio"}`)},
			[]string{`preference|Prefers "tea".|/mapping/n/message/content/parts/0|` + ownTime}},
		{"object input", pamio.Message{ToolCalls: call(`{"content":"User lives in Lyon."}`), RawMetadata: pamio.RawJSON(`{"recipient":"bio","content":{"content_type":"code"}}`)},
			[]string{`identity|Lives in Lyon.|/mapping/n/message/content/text|` + ownTime}},
		{"text beside a call without input", pamio.Message{ToolCalls: call(""), Content: plainText("Is 30.")},
			[]string{`identity|Is 30 years old.|/mapping/n/message/content/parts/0|` + ownTime}},
		{"no call, but addressed to bio", pamio.Message{Content: plainText("Has a dog"), RawMetadata: pamio.RawJSON(`{"recipient":"bio","text_from":["/text"]}`)},
			[]string{`fact|Has a dog.|/mapping/n/message/content/text|` + ownTime}},
		{"pending", pamio.Message{Content: plainText("Noted!"), RawMetadata: pamio.RawJSON(`{"metadata":{"pending_memory_content":"User speaks Dutch"}}`)},
			[]string{`skill|Speaks Dutch.|/mapping/n/message/metadata/pending_memory_content|` + ownTime}},
		{"another tool", pamio.Message{ToolCalls: []pamio.ToolCall{{Name: "browser", Input: pamio.RawJSON(`"bio"`)}}}, nil},
		{"the tool's answer", pamio.Message{Role: "tool", Content: plainText("Model set context updated."), RawMetadata: pamio.RawJSON(`{"author":{"name":"bio"},"recipient":"assistant"}`)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.m.ID, c.m.CreatedAt = "n", ownTime
			if got := found(t, conversation(c.m)); !slices.Equal(got, c.want) {
				t.Errorf("got\n%q, expected\n%q", got, c.want)
			}
		})
	}
}

func TestRecordsWithoutACandidateAreCounted(t *testing.T) {
	bio := func(input string) pamio.Message {
		return pamio.Message{ID: "n", ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(input)}}}
	}
	doc := conversation(bio(`"User is 30"`), bio(`" "`), bio(`"Forget that the user is 30"`), bio(`"User wants to forget about the diet"`), bio(`{"op":"add"}`), bio(`[1]`),
		pamio.Message{ID: "c", RawMetadata: pamio.RawJSON(`{"metadata":{"user_context_message_data":{"about_user_message":null,"about_model_message":""}}}`)})
	candidates, report := New().Extract(doc, nil)
	if len(statedOnly(candidates)) != 1 || report.Records != 7 || fmt.Sprint(report.Skipped) != "map[empty:2 retraction:2 unknown-form:2]" {
		t.Errorf("%d candidates, report %v", len(candidates), report)
	}
}

func TestMemorySnapshotIsAListOfDatedFacts(t *testing.T) {
	at := "/mapping/n/message/content/model_set_context|"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"dated", "1. [2024-05-01]. User's name is Ada.\n2. [2024-06-30] User likes:\n  1. tea\n  2. rye\n3. [2024-07-01]. Last", []string{
			"identity|Name is Ada.|" + at + "2024-05-01T00:00:00Z",
			"preference|Likes tea.|" + at + "2024-06-30T00:00:00Z",
			"preference|Likes rye.|" + at + "2024-06-30T00:00:00Z",
			"fact|Last.|" + at + "2024-07-01T00:00:00Z",
		}},
		{"numbers only in sequence", "# Memories\n\n1. One\n2. Two has\n5. five\n3. Three", []string{"fact|One.|" + at + ownTime, "fact|Two has.|" + at + ownTime, "fact|Five.|" + at + ownTime, "fact|Three.|" + at + ownTime}},
		{"dates without numbers", "[2024-05-01]. A\r\n[2024-05-02]. B", []string{"fact|A.|" + at + "2024-05-01T00:00:00Z", "fact|B.|" + at + "2024-05-02T00:00:00Z"}},
		{"no such day", "1. [2024-02-31]. A", []string{"fact|[2024-02-31].|" + at + ownTime, "fact|A.|" + at + ownTime}},
		{"no list", "User is Ada.\nShe codes.", []string{"identity|Name is Ada.|" + at + ownTime, "fact|Codes.|" + at + ownTime}},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, m := range []pamio.Message{
				{Content: plainText(c.text), RawMetadata: pamio.RawJSON(`{"content":{"content_type":"model_editable_context","repository":null}}`)},
				{RawMetadata: append(append(pamio.RawJSON(`{"content":{"content_type":"model_editable_context","model_set_context":`), pamio.AppendString(nil, c.text)...), `}}`...)},
			} {
				m.ID, m.CreatedAt = "n", ownTime
				if got := found(t, conversation(m)); !slices.Equal(got, c.want) {
					t.Errorf("got\n%q, expected\n%q", got, c.want)
				}
			}
		})
	}
}

func TestObservedTimeIsNeverInherited(t *testing.T) {
	for source, want := range map[string]string{"": ownTime, "update_time": ownTime, "ancestor": began, "descendant": began, "conversation": began, "none": began} {
		m := pamio.Message{ID: "n", CreatedAt: ownTime, ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(`"x"`)}}}
		if source != "" {
			m.RawMetadata = pamio.RawJSON(`{"created_at_source":"` + source + `"}`)
		}
		if got := found(t, conversation(m)); !strings.HasSuffix(got[0], "|"+want) {
			t.Errorf("source %q: %q", source, got)
		}
		doc := conversation(m)
		doc.RawMetadata = pamio.RawJSON(`{` + noTime + `}`)
		if source == "none" {
			if got := found(t, doc); !strings.HasSuffix(got[0], "|") {
				t.Errorf("a time that is nowhere in the source is observed: %q", got)
			}
		}
	}
}

func TestPointersAreEscaped(t *testing.T) {
	got := found(t, conversation(pamio.Message{ID: "a/b~c", CreatedAt: ownTime, ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(`"x"`)}}}))
	if want := "/mapping/a~1b~0c/message/content/parts/0"; len(got) != 1 || !strings.Contains(got[0], want) {
		t.Errorf("got %q, expected the pointer %s", got, want)
	}
}

func TestPointerToTextsInSeveralPlacesIsThatOfWhatHoldsThem(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`{"recipient":"bio","content":{"content_type":"text","parts":["",""]}}`, "content/parts"},
		{`{"recipient":"bio","content":{"content_type":"x","parts":[""]},"text_from":["/parts/0","/parts/2"]}`, "content/parts"},
		{`{"recipient":"bio","content":{"content_type":"x","parts":[""]},"text_from":["/text","/parts/0"]}`, "content"},
	} {
		m := pamio.Message{
			ID: "n", CreatedAt: ownTime, Content: parts("one", "two"), RawMetadata: pamio.RawJSON(c.raw), ToolCalls: []pamio.ToolCall{{Name: "bio"}},
		}
		if got := found(t, conversation(m)); !slices.Equal(got, []string{"fact|One.|/mapping/n/message/" + c.want + "|" + ownTime, "fact|Two.|/mapping/n/message/" + c.want + "|" + ownTime}) {
			t.Errorf("got %q, expected the pointer %s", got, c.want)
		}
	}
}

func TestNothingIsHarvestedWhereItMustNotBe(t *testing.T) {
	write := pamio.Message{ID: "n", ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(`"x"`)}}}
	forbidden := conversation(write)
	forbidden.RawMetadata = pamio.RawJSON(`{"is_do_not_remember":true}`)
	if c, r := New().Extract(forbidden, nil); len(c) != 1 || c[0].Act != "forbid" || c[0].Evidence[0].Conversation != forbidden.ID || r.Skipped[SkipForbidden] != 1 {
		t.Errorf("%+v from a conversation that is not to be remembered, report %v", c, r)
	}
	if !New().Wants([]byte(`{"raw_metadata":{"is_do_not_remember":true}}`)) {
		t.Error("a conversation that is not to be remembered is not looked at")
	}
	allowed := conversation(write)
	allowed.RawMetadata = pamio.RawJSON(`{"is_do_not_remember":false}`)
	if c, _ := New().Extract(allowed, nil); len(c) != 1 {
		t.Errorf("%d candidates", len(c))
	}
	other := conversation(write)
	other.Provider.Name = "claude"
	if c, _ := New().Extract(other, nil); len(c) != 0 {
		t.Errorf("%d candidates from another provider", len(c))
	}
}

// The quick look never hides what the slow one finds.
func TestMarkersCoverEveryRecord(t *testing.T) {
	raws := []string{
		`{"content":{"content_type":"user_editable_context","user_profile":"a"}}`, `{"content":{"user_profile":"a"}}`, `{"content":{"user_instructions":"a"}}`,
		`{"metadata":{"user_context_message_data":{"about_user_message":"a"}}}`, `{"content":{"model_set_context":"a"}}`,
		`{"content":{"content_type":"model_editable_context"}}`, `{"recipient":"bio"}`, `{"metadata":{"pending_memory_content":"a"}}`,
	}
	for _, raw := range raws {
		doc := conversation(pamio.Message{ID: "n", Role: "user", CreatedAt: began, Content: plainText("x"), RawMetadata: pamio.RawJSON(raw)})
		if c, _ := New().Extract(doc, nil); len(c) == 0 || !MayHold(doc.AppendJSON(nil)) {
			t.Errorf("%s: %d candidates, the quick look says %v", raw, len(c), MayHold(doc.AppendJSON(nil)))
		}
	}
	write := conversation(pamio.Message{ID: "n", Role: "assistant", ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(`"x"`)}}, CreatedAt: began})
	if !MayHold(write.AppendJSON(nil)) {
		t.Error("a memory write does not pass the quick look")
	}
	if MayHold(conversation(pamio.Message{ID: "n", Role: "user", Content: plainText("my bio"), CreatedAt: began}).AppendJSON(nil)) {
		t.Error("ordinary talk passes the quick look")
	}
}

func TestKindsOfFacts(t *testing.T) {
	for kind, facts := range map[string][]string{
		"preference":   {"User prefers tea", "The user really likes Go.", "User’s favourite colour is green", "User doesn’t like small talk", "User hates rye", "Prefers metric units"},
		"goal":         {"User wants to run a marathon", "User is currently planning a trip", "User hopes to move", "User is learning Dutch"},
		"project":      {"User is working on a compiler", "User is currently also building a boat", "User's startup sells kites"},
		"identity":     {"User's name is Ada", "User is called Ada.", "User prefers to be called Ada", "User lives in Lyon", "User's first name is Ada"},
		"environment":  {"User uses Linux", "User is using a Mac"},
		"relationship": {"User's wife is Eve", "User has two daughters", "User is married to Eve", "User's best friend is Bo", "User has a dog named Rex"},
		"instruction":  {"Always answer in French", "Never use emoji", "When answering, be short", "User wants ChatGPT to be blunt", "User has asked that replies be short", "Don't apologise"},
		"skill":        {"User speaks Dutch", "User is fluent in C"},
		"fact":         {"User is 30 years old", "Works as a nurse", "", "Алиса живёт в Минске", "Username ada", "User has a wifeless house", "User's wifery"},
	} {
		for _, f := range facts {
			if got := kindOf(f); got != kind {
				t.Errorf("%q is %s, expected %s", f, got, kind)
			}
		}
		if kind != "fact" && decay[kind] == "" {
			t.Errorf("%s has no decay", kind)
		}
	}
	for _, r := range kindRules {
		if decay[r.kind] == "" {
			t.Errorf("%s has no decay", r.kind)
		}
		for _, p := range r.phrases {
			if got := leadingWords(p); strings.Join(got, " ") != p {
				t.Errorf("phrase %q can never match: its words are %q", p, got)
			}
		}
	}
}

func TestExtractIsPure(t *testing.T) {
	doc := conversation(
		pamio.Message{ID: "a", CreatedAt: ownTime, Content: parts(profile, answers), RawMetadata: pamio.RawJSON(`{"content":{"content_type":"user_editable_context"}}`)},
		pamio.Message{ID: "b", CreatedAt: ownTime, ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(`"User prefers tea"`)}}},
	)
	before := string(doc.AppendJSON(nil))
	lines := func() string {
		var b []byte
		cs, _ := New().Extract(doc, nil)
		for i := range cs {
			b = extract.AppendCandidate(b, &cs[i])
		}
		return string(b)
	}
	if first := lines(); first == "" || first != lines() {
		t.Error("two runs differ")
	}
	if string(doc.AppendJSON(nil)) != before {
		t.Error("the document was changed")
	}
}

func TestEmptiedInstructionsAreAListWithoutThem(t *testing.T) {
	m := pamio.Message{ID: "c", CreatedAt: ownTime, RawMetadata: pamio.RawJSON(`{"metadata":{"user_context_message_data":{"about_user_message":null,"about_model_message":""}}}`)}
	got, _ := New().Extract(conversation(m), nil)
	if len(got) != 1 || got[0].Act != "listing" || !strings.HasSuffix(got[0].Evidence[0].Listing, "/how-to-answer") || got[0].Evidence[0].ListedAt != ownTime {
		t.Errorf("got %+v", got)
	}
}
