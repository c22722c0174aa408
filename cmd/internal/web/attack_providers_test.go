package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/branches"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// structural are the fields of documents that decide how a document is read: a hostile value there
// makes another document, which is a case of its own.
var structural = []string{"schema", "schema_version", "id", "parent_id", "children_ids", "role", "type", "created_at", "updated_at"}

// poison puts a hostile text behind every text of a document; whole replaces those that decide what
// a part is, too.
func poison(v any, key string, whole bool) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = poison(inner, k, whole)
		}
	case []any:
		for i, inner := range v {
			v[i] = poison(inner, key, whole)
		}
	case string:
		if !slices.Contains(structural, key) || whole && (key == "role" || key == "type") {
			return v + hostile
		}
	}
	return v
}

// documentsOf are the documents that the importers of a provider make of its fixtures.
func documentsOf(t *testing.T, provider string) (docs []map[string]any) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(provider, "testdata", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			doc := map[string]any{}
			if strings.HasPrefix(line, `{"schema":"portable-ai-memory-conversation"`) && json.Unmarshal([]byte(line), &doc) == nil {
				docs = append(docs, doc)
			}
		}
	}
	return docs
}

// putDocuments publishes a store of documents, each with a memory that comes from each of its
// messages, and gives their ids.
func putDocuments(t *testing.T, s *site, owner string, docs []map[string]any) (talks []string) {
	t.Helper()
	temporal := object{"created_at": "2024-03-05T10:00:00Z"}
	memories, index := []object{}, []object{}
	for i, doc := range docs {
		id := fmt.Sprintf("11111111-0000-5000-8000-%012d", i)
		doc["id"] = id
		talks = append(talks, id)
		body := encode(t, doc)
		ref := "conversations/" + id + "." + objects.Digest(body)[:16] + ".json"
		putObject(t, s.store, state.OwnerKey(owner, ref), body)
		index = append(index, object{"id": id, "platform": hostile, "title": hostile, "temporal": temporal, "storage": object{"type": "file", "ref": ref, "format": "json"}})
		evidence := []object{}
		messages, _ := doc["messages"].([]any)
		for _, m := range messages {
			if m, ok := m.(map[string]any); ok {
				evidence = append(evidence, object{"conversation": id, "message": m["id"], "start": 1, "end": 9, "quote": hostile, "observed_at": hostile})
			}
		}
		memories = append(memories, object{
			"id": fmt.Sprintf("22222222-0000-5000-8000-%012d", i), "type": "custom", "custom_type": hostile, "status": hostile, "content": hostile, "content_hash": "sha256:00", "tags": []string{hostile},
			"temporal": temporal, "provenance": object{"platform": hostile, "extractor": hostile, "conversation_ref": id}, "metadata": object{"rule": hostile, "status_reason": hostile, "evidence": evidence},
		})
	}
	publish(t, s.store, owner, encode(t, object{"schema": "portable-ai-memory", "schema_version": "1.0", "owner": object{"id": owner}, "memories": memories, "relations": []object{}, "conversations_index": index}))
	return talks
}

// A hostile text in every field of every document that importers make of their fixtures is shown as
// text.
func TestScriptsInEveryFieldOfEveryProviderAreText(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it is one page after the other")
	}
	providers, err := filepath.Glob(filepath.Join("..", "..", "..", "providers", "*"))
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, provider := range providers {
		for _, whole := range []bool{false, true} {
			docs := documentsOf(t, provider)
			if len(docs) == 0 {
				continue
			}
			tested++
			for i := range docs {
				docs[i] = poison(docs[i], "", whole).(map[string]any) //nolint:forcetypeassert // what goes in comes out
			}
			t.Run(fmt.Sprint(filepath.Base(provider), whole), func(t *testing.T) { readEverything(t, docs) })
		}
	}
	if tested < 40 {
		t.Errorf("only %d fixtures of providers were found", tested)
	}
}

// readEverything reads every page of a store of documents.
func readEverything(t *testing.T, docs []map[string]any) {
	t.Helper()
	s := serveSite(t, 1<<20)
	talks := putDocuments(t, s, "ann", docs)
	v := s.letIn(t, "ann")
	pages := []string{"conversations", "memories?status=", "review", "timeline", "store", "search?q=alert", "search?q=alert&in=titles", "store/render"}
	for i, id := range talks {
		doc, err := pamio.ParseConversation([]byte(encode(t, docs[i])))
		if err != nil {
			continue // the page says that it is damaged
		}
		for n := range min(4, max(1, branches.Of(doc).Count())) {
			pages = append(pages, fmt.Sprintf("conversations/%s?branch=%d", id, n+1))
		}
		if len(doc.Messages) > 0 {
			pages = append(pages, messagePath(id, doc.Messages[0].ID, &span{1, 9}))
		}
		pages = append(pages, fmt.Sprintf("memories/22222222-0000-5000-8000-%012d", i))
	}
	seen := false
	for _, path := range pages {
		code, body := v.get(Base + path)
		if code != http.StatusOK && code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
		seen = seen || strings.Contains(body, "alert(1)")
		checkHarmless(t, path, body)
	}
	if !seen {
		t.Error("no page shows the hostile text")
	}
}

// Paths, ids and names that try to lead out of the store lead nowhere.
func TestPathsDoNotLeadOutOfTheStore(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "plain")
	putStore(t, s.store, "bob", "Secret of Bob")
	v := s.letIn(t, "ann")
	for _, trick := range []string{
		"..", "%2e%2e", "..%2f..%2fbob%2fassets%2f0a.png", "..%5c..%5cbob", "%2fetc%2fpasswd", "0a.png%00.html", "....//0a.png", "%252e%252e%252f", "C:%5cwindows", "con", "0a.png%2f..", strings.Repeat("a", 5000), "%ff%fe", "~", ".",
	} {
		for _, base := range []string{"assets/", "conversations/", "memories/", "imports/", "tus/", "static/", "erase?level=conversation&id=", "store/"} {
			code, body, _ := v.send(http.MethodGet, Base+base+trick, "", nil)
			if code < 400 && !strings.Contains(body, "<h1>") || code >= 500 || strings.Contains(body, "Secret of Bob") || strings.Contains(body, "PNG of bob") || strings.Contains(body, "root:") {
				t.Errorf("%s%s: %d %.200s", base, trick, code, body)
			}
		}
	}
	for name, want := range map[string]string{
		"../../etc/passwd": "passwd", `..\..\boot.ini`: "boot.ini", "": "upload", "...": "upload", "a\x00b.zip": "a_b.zip", "<b>.zip": "_b_.zip", strings.Repeat("x", 500) + ".zip": strings.Repeat("x", 116) + ".zip", "\xff.zip": "_.zip",
	} {
		if got := cleanName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// What belongs to another owner is not found, whatever names it, and an operator sees no store.
func TestAnotherOwnersImportsErasuresAndOperationsAreNotFound(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "Secret of Ann")
	publish(t, s.store, "bob", `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"bob"},"memories":[],"relations":[],"conversations_index":[]}`)
	client := &failing{}
	s.o.Client = client
	bob := s.letIn(t, "bob")
	if _, body := bob.get(Base + "operations"); strings.Contains(body, "ann") || strings.Contains(body, "the model did not answer") {
		t.Errorf("bob sees the operations of ann: %s", body)
	}
	for path, form := range map[string]string{
		"operations/retry": "owner=ann&drop=" + failedDrop, "imports/" + failedDrop + "/retry": "", "memories/" + noteID + "/undo": "edit=" + uuid.NewString(), "erase": "level=memory&id=" + noteID + "&agree=yes",
	} {
		code, body, _ := bob.send(http.MethodPost, Base+path, form, func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") })
		if code < 400 || strings.Contains(body, "Secret") || len(client.redriven) > 0 {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	path, err := s.EnterOperations()
	if err != nil {
		t.Fatal(err)
	}
	operator := s.stranger(t)
	operator.get(path)
	code, body := operator.get(Base + "operations")
	if code != http.StatusOK || !strings.Contains(body, "ann") || !strings.Contains(body, "bob") || strings.Contains(body, "Secret") || strings.Contains(body, "export.zip") {
		t.Errorf("%d %s", code, body)
	}
	for _, page := range everyPage() {
		if page == "nothing" {
			continue
		}
		if code, body := operator.get(Base + page); code != http.StatusForbidden || strings.Contains(body, "Secret") {
			t.Errorf("an operator reads %s: %d", page, code)
		}
	}
}
