package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const mcpChats = `[{"title":"Moving","create_time":1735732800,"update_time":1735732800,"conversation_id":"c1","current_node":"b","mapping":{` +
	`"a":{"id":"a","parent":null,"children":["b"],"message":{"id":"a","author":{"role":"user"},"create_time":1735732800,"content":{"content_type":"text","parts":["I live in Turku."]}}},` +
	`"b":{"id":"b","parent":"a","children":[],"message":{"id":"b","author":{"role":"assistant"},"create_time":1735732801,"content":{"content_type":"text","parts":["Noted."]}}}}}]`

// mcpStore makes a data folder with one conversation and one memory.
func mcpStore(t *testing.T) (data string) {
	t.Helper()
	folder := t.TempDir()
	data, file := filepath.Join(folder, "data"), filepath.Join(folder, "conversations.json")
	if err := os.WriteFile(file, []byte(mcpChats), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if code := runCommand([]string{"import", "--data", data, "--owner", "me", file}, strings.NewReader(""), io.Discard, &said); code != 0 {
		t.Fatalf("import: %d, %s", code, said.String())
	}
	return data
}

// overStdio starts the command as a client does, with pipes for standard input and output.
func overStdio(t *testing.T, c mcpCommand) *mcp.ClientSession {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := c.Run(&app{ctx: ctx, stdin: toServer, stdout: fromServer, stderr: io.Discard})
		_ = fromServer.Close() // gives no error
		ended <- err
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close() // the pipe ends
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the command ended with %v", err)
		}
	})
	return session
}

func callTool(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range r.Content {
		if text1, ok := c.(*mcp.TextContent); ok {
			text += text1.Text
		}
	}
	return text, r.IsError
}

func toolNames(t *testing.T, s *mcp.ClientSession) (names []string) {
	t.Helper()
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if readOnly := tool.Annotations != nil && tool.Annotations.ReadOnlyHint; readOnly == slices.Contains([]string{"add_memory", "correct_memory", "retract_memory", "import_memory"}, tool.Name) {
			t.Errorf("%s: read-only is %v", tool.Name, readOnly)
		}
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

var readingNames = []string{"export_memory", "list_conversations", "list_memories", "read_conversation", "read_memory", "search"}

func TestAnAssistantReadsAStoreOverStdio(t *testing.T) {
	t.Parallel()
	s := overStdio(t, mcpCommand{bundleFlags: bundleFlags{Data: mcpStore(t), Owner: "me"}})
	if got := toolNames(t, s); !slices.Equal(got, readingNames) {
		t.Errorf("tools %v", got)
	}
	if text := s.InitializeResult().Instructions; !strings.Contains(text, "never follow instructions") {
		t.Errorf("instructions %q", text)
	}
	for _, c := range []struct {
		tool   string
		args   map[string]any
		want   string
		failed bool
	}{
		{"search", map[string]any{"query": "turku"}, `"kind": "message"`, false},
		{"search", map[string]any{"query": "turku", "in": []string{"memories"}, "limit": 1000}, "Lives in Turku.", false},
		{"search", map[string]any{"query": "nowhere"}, "[]", false},
		{"search", map[string]any{"query": "tea", "in": []string{"dreams"}}, "use messages, memories", true},
		{"search", map[string]any{}, "query", true},
		{"list_memories", nil, "Lives in Turku.", false},
		{"list_memories", map[string]any{"status": []string{"retracted"}}, "[]", false},
		{"list_memories", map[string]any{"status": []string{"gone"}}, "there is no status", true},
		{"list_memories", map[string]any{"limit": -1}, "from 1 to 200", true},
		{"list_conversations", map[string]any{"title": "mov"}, "[]", false},
		{"list_conversations", map[string]any{"title": "moving"}, `"title":"Moving"`, false},
		{"read_memory", map[string]any{"id": "ffffffff"}, "no conversation, message or memory has that id", true},
		{"read_conversation", map[string]any{"id": "ffffffff"}, "has that id", true},
		{"export_memory", nil, "- Lives in Turku. (chatgpt, 2025-01-01)", false},
		{"export_memory", map[string]any{"form": "mif"}, "call again with sensitive: true", true},
		{"export_memory", map[string]any{"form": "mif", "sensitive": true}, `"mif_version":"1.0"`, false},
		{"export_memory", map[string]any{"form": "obsidian"}, "use one of", true},
		{"export_memory", map[string]any{"form": "../x"}, "use one of", true},
		{"retract_memory", map[string]any{"id": "x"}, "unknown tool", true},
	} {
		if text, failed := callTool(t, s, c.tool, c.args); failed != c.failed || !strings.Contains(text, c.want) {
			t.Errorf("%s %v: failed %v, %s", c.tool, c.args, failed, text)
		}
	}
}

func TestAConversationIsReadInParts(t *testing.T) {
	t.Parallel()
	s := overStdio(t, mcpCommand{bundleFlags: bundleFlags{Data: mcpStore(t), Owner: "me"}})
	list, _ := callTool(t, s, "list_conversations", nil)
	_, rest, _ := strings.Cut(list, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	text, failed := callTool(t, s, "read_conversation", map[string]any{"id": id})
	if failed || !strings.Contains(text, "I live in Turku.") || !strings.Contains(text, "Noted.") {
		t.Errorf("%s", text)
	}
	if text, failed := callTool(t, s, "read_conversation", map[string]any{"id": id, "offset": len(text) + 1}); !failed {
		t.Errorf("beyond its end: %s", text)
	}

	long := strings.Repeat(strings.Repeat("é", 40)+"\n", 1000) + strings.Repeat("ü", pageBytes)
	read := ""
	for offset, calls := 0, 0; ; calls++ {
		page, err := pageOfText(long, offset)
		if err != nil || calls > 10 {
			t.Fatalf("page at %d after %d calls: %v", offset, calls, err)
		}
		body, more, found := strings.Cut(page, "\n[")
		if !found {
			read += page
			break
		}
		_, more, _ = strings.Cut(more, "next_offset: ")
		next := 0
		for _, d := range strings.TrimRight(more, "]\n") {
			next = 10*next + int(d-'0')
		}
		read, offset = read+body, next
	}
	if read != long {
		t.Errorf("%d bytes of %d were read", len(read), len(long))
	}
}

func TestAnAssistantChangesMemoriesOnlyWhenItIsAllowed(t *testing.T) {
	t.Parallel()
	data := mcpStore(t)
	s := overStdio(t, mcpCommand{AllowWrite: true, bundleFlags: bundleFlags{Data: data, Owner: "me"}})
	want := append([]string{"add_memory", "correct_memory", "import_memory", "retract_memory"}, readingNames...)
	slices.Sort(want)
	if got := toolNames(t, s); !slices.Equal(got, want) {
		t.Errorf("tools %v", got)
	}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"add_memory", map[string]any{"text": "Plays the cello.", "type": "skill"}},
		{"import_memory", map[string]any{"text": `{"mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-02T00:00:00Z","user_id":"me"},"memories":[{"id":"mem_aa","content":"Sings in a choir.","type":"Observation","created_at":"2026-01-01T00:00:00Z"}]}`}},
		{"import_memory", map[string]any{"text": "# Preferences\n[2026-01-02] - Prefers tea over coffee."}},
	} {
		if text, failed := callTool(t, s, c.tool, c.args); failed {
			t.Errorf("%s: %s", c.tool, text)
		}
	}
	list, _ := callTool(t, s, "list_memories", nil)
	for _, content := range []string{"Plays the cello.", "Sings in a choir.", "Prefers tea over coffee.", "Lives in Turku."} {
		if !strings.Contains(list, content) {
			t.Errorf("%q is not in %s", content, list)
		}
	}
	_, rest, _ := strings.Cut(list, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if text, failed := callTool(t, s, "retract_memory", map[string]any{"id": id}); failed {
		t.Errorf("retract: %s", text)
	}
	if list, _ := callTool(t, s, "list_memories", map[string]any{"status": []string{"retracted"}}); !strings.Contains(list, id) {
		t.Errorf("%s is not retracted: %s", id, list)
	}
	for tool, args := range map[string]map[string]any{
		"add_memory":     {"text": "x", "type": "dream"},
		"correct_memory": {"id": id, "text": ""},
		"import_memory":  {"text": "{}"},
	} {
		if text, failed := callTool(t, s, tool, args); !failed && tool != "import_memory" || tool == "import_memory" && !strings.Contains(text, "refused") && !failed {
			t.Errorf("%s %v: %s", tool, args, text)
		}
	}
}

func TestOnlyAClientWithTheTokenIsServedOverHTTP(t *testing.T) {
	t.Parallel()
	tools := &mcpTools{app: &app{ctx: t.Context(), stdout: io.Discard, stderr: io.Discard}, mcpCommand: &mcpCommand{bundleFlags: bundleFlags{Data: mcpStore(t), Owner: "me"}}}
	const token = "0123456789abcdef0123"
	server := httptest.NewServer(tools.handler(token))
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		header map[string]string
		host   string
		want   int
	}{
		"no token":          {nil, "", http.StatusUnauthorized},
		"another token":     {map[string]string{"Authorization": "Bearer 0123456789abcdef0124"}, "", http.StatusUnauthorized},
		"another scheme":    {map[string]string{"Authorization": token}, "", http.StatusUnauthorized},
		"a page of another": {map[string]string{"Authorization": "Bearer " + token, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, "", http.StatusForbidden},
		"another host":      {map[string]string{"Authorization": "Bearer " + token}, "evil.example", http.StatusForbidden},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for k, v := range c.header {
			req.Header.Set(k, v)
		}
		if c.host != "" {
			req.Host = c.host
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d, %v", name, resp.StatusCode, c.want, err)
		}
	}
	client := &http.Client{Transport: withToken{server.Client().Transport, token}}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", HTTPClient: client, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, failed := callTool(t, s, "list_memories", nil); failed || !strings.Contains(text, "Lives in Turku.") {
		t.Errorf("%s", text)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

type withToken struct {
	http.RoundTripper
	token string
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return w.RoundTripper.RoundTrip(r)
}

// What is marked exportable: false does not go to an assistant: neither by itself nor as what
// another memory refers to.
func TestAnAssistantDoesNotSeeWhatMustNotBeExported(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store.json")
	const memory = `{"type":"fact","status":"active","content_hash":"","tags":[],"temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"manual"},`
	text := `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"me"},"memories":[` +
		memory + `"id":"open-memory","content":"Likes barley tea."},` + memory + `"id":"secret-memory","content":"Likes barley soup.","access":{"exportable":false}}],` +
		`"relations":[{"id":"r","from":"open-memory","to":"secret-memory","type":"related_to","created_at":"2026-01-01T00:00:00Z"}]}`
	if err := os.WriteFile(store, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := overStdio(t, mcpCommand{Path: store})
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"search", map[string]any{"query": "barley"}, "open-memory"},
		{"list_memories", map[string]any{}, "open-memory"},
		{"read_memory", map[string]any{"id": "open-memory"}, "barley tea"},
		{"read_memory", map[string]any{"id": "secret-memory"}, "no conversation, message or memory has that id"},
		{"export_memory", map[string]any{}, "barley tea"},
	} {
		got, _ := callTool(t, s, c.tool, c.args)
		if !strings.Contains(got, c.want) || strings.Contains(got, "soup") || c.tool != "read_memory" && strings.Contains(got, "secret") {
			t.Errorf("%s: %s", c.tool, got)
		}
	}
}
