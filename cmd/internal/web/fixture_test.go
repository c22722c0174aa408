package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/status"
)

// Ids of the fixture's elements.
const (
	talkID  = "11111111-0000-5000-8000-000000000001"
	noteID  = "22222222-0000-5000-8000-000000000001"
	otherID = "22222222-0000-5000-8000-000000000002"
)

type object = map[string]any

// hostile is a text that would do something if it were taken for HTML or Markdown with HTML.
const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)> "'><svg onload=alert(3)> [go](javascript:alert(4)) ![pic](https://tracker.example/p.png) [far](https://far.example/a) {{.}} <style>*{}</style>`

// putStore publishes a store in which every text is text.
func putStore(t testing.TB, s blob.Store, owner, text string) {
	t.Helper()
	temporal := object{"created_at": "2024-03-05T10:00:00Z"}
	memory := func(id, content string) object {
		return object{
			"id": id, "type": "fact", "status": "active", "content": content, "content_hash": "sha256:00", "tags": []string{text}, "temporal": temporal,
			"confidence": object{"initial": 0.5, "current": 0.5}, "provenance": object{"platform": text, "extractor": text, "conversation_ref": talkID},
			"metadata": object{"rule": text, "status_reason": text, "evidence": []object{{"conversation": talkID, "message": "m 1", "start": 0, "end": 5, "quote": text, "member": text, "observed_at": "2024-03-05T10:00:00Z"}}},
		}
	}
	talkBody := talkOfText(t, text)
	ref := "conversations/" + talkID + "." + objects.Digest(talkBody)[:16] + ".json"
	store := object{
		"schema": "portable-ai-memory", "schema_version": "1.0", "owner": object{"id": owner},
		"memories":  []object{memory(noteID, text), memory(otherID, "Likes green tea. "+text)},
		"relations": []object{{"id": "r", "from": noteID, "to": otherID, "type": "contradicts"}},
		"conversations_index": []object{{
			"id": talkID, "platform": text, "title": text, "message_count": 3, "temporal": temporal, "storage": object{"type": "file", "ref": ref, "format": "json"},
		}},
	}
	putObject(t, s, state.OwnerKey(owner, ref), talkBody)
	putObject(t, s, state.OwnerKey(owner, "assets/0a.png"), "\x89PNG of "+owner)
	putObject(t, s, state.OwnerKey(owner, "assets/0b.html"), hostile)
	publish(t, s, owner, encode(t, store))
}

// talkOfText is a conversation in which every text is text.
func talkOfText(t testing.TB, text string) string {
	t.Helper()
	temporal := object{"created_at": "2024-03-05T10:00:00Z"}
	part := func(kind string) object {
		return object{"type": kind, "text": text, "language": text, "ref": "assets/" + text, "mime_type": text}
	}
	talk := object{
		"schema": "portable-ai-memory-conversation", "schema_version": "1.0", "id": talkID, "title": text, "provider": object{"name": text, "conversation_id": text}, "temporal": temporal,
		"messages": []object{
			{"id": "m 1", "role": "user", "created_at": "2024-03-05T10:00:00Z", "content": object{"type": "text", "text": "Likes " + text}, "children_ids": []string{"2", "3"}},
			{
				"id": "2", "role": "assistant", "parent_id": "m 1", "model": text, "content": object{"type": "multipart", "parts": []object{part("text"), part("code"), part("image"), part("file"), part("audio"), part("video")}},
				"attachments": []object{{"type": "file", "name": text, "mime_type": text, "ref": "../" + text}},
				"citations":   []object{{"title": text, "url": "javascript:alert(5)", "snippet": text}},
				"tool_calls":  []object{{"id": "c", "name": text, "input": object{"q": text}, "output": text}},
			},
			{"id": "3", "role": text, "parent_id": "m 1", "is_thought": true, "content": object{"type": "text", "text": text}},
		},
	}
	return encode(t, talk)
}

func encode(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func putObject(t testing.TB, s blob.Store, key, body string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(body), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

// publish makes a text the store of an owner.
func publish(t testing.TB, s blob.Store, owner, body string) {
	t.Helper()
	head := state.Head{V: 1, Sequence: 1, ExportID: uuid.NewString(), Store: objects.Digest(body), Size: int64(len(body))}
	putObject(t, s, state.ExportKey(owner, head.ExportID, ".json"), body)
	if err := objects.PutJSON(t.Context(), s, state.HeadKey(owner), head); err != nil {
		t.Fatal(err)
	}
}

// idle is a client that has nothing to report.
type idle struct{ pipeline.Client }

func (idle) Imports(context.Context, status.Query) (status.Page, error) { return status.Page{}, nil }
func (idle) DeadLetters(context.Context, replay.Filter) (replay.LetterPage, error) {
	return replay.LetterPage{}, nil
}

// site is a page that is served.
type site struct {
	*Page
	*httptest.Server
	store blob.Store
}

func serveSite(t testing.TB, maxUpload int64) *site {
	t.Helper()
	return serveStore(t, statetest.New(), maxUpload)
}

// patientWaits waits for everything: a test sees what it asked for, however slow the machine is.
func patientWaits() Patience {
	const long = 24 * time.Hour
	return Patience{Newer: long, Index: long, Count: long, Work: long}
}

func serveStore(t testing.TB, s blob.Store, maxUpload int64) *site {
	t.Helper()
	p, err := New(Options{Store: s, Client: idle{}, Scratch: t.TempDir(), MaxUpload: maxUpload, Now: time.Now, NewID: uuid.NewString, Random: rand.Reader, Patience: patientWaits()})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p)
	t.Cleanup(func() {
		server.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return &site{p, server, s}
}

// visitor is a browser with its cookies.
type visitor struct {
	*http.Client
	t    testing.TB
	site string
}

// letIn gives a browser that was let in as an owner.
func (s *site) letIn(t testing.TB, owner string) *visitor {
	t.Helper()
	v := s.stranger(t)
	path, err := s.Enter(owner)
	if err != nil {
		t.Fatal(err)
	}
	if code, body := v.get(path); code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	return v
}

func (s *site) stranger(t testing.TB) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{&http.Client{Jar: jar}, t, s.URL}
}

// get reads a page.
func (v *visitor) get(path string) (code int, body string) {
	v.t.Helper()
	code, body, _ = v.send(http.MethodGet, path, "", nil)
	return code, body
}

// send sends a request and reads the answer.
func (v *visitor) send(method, path, body string, change func(*http.Request)) (code int, text string, h http.Header) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.site+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	resp, err := v.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.StatusCode, string(raw), resp.Header
}

// everyPage are the pages of a store like that of putStore.
func everyPage() []string {
	pages := []string{
		"conversations", "conversations/" + talkID, "conversations/" + talkID + "?branch=1", "conversations/" + talkID + "?branch=2", messagePath(talkID, "m 1", &span{2, 9}),
		"memories", "memories?status=", "memories/" + noteID, "memories/" + otherID, "review", "search", "search?q=tea", "search?q=script", "timeline", "timeline?month=2024-03", "store", "imports", "nothing",
	}
	for _, parameter := range []string{"title", "provider", "since", "topic", "type", "q", "month", "notice", "page", "message", "mark"} {
		pages = append(pages, fmt.Sprintf("memories?%s=%%3Cscript%%3Ealert(1)%%3C/script%%3E", parameter), fmt.Sprintf("conversations?%s=%%22%%3E%%3Cscript%%3E", parameter), fmt.Sprintf("search?%s=%%22%%3E%%3Cscript%%3E", parameter))
	}
	return pages
}
