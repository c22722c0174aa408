package web

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/providers/sqlite/sqlitetest"
)

// Providers whose tests make their archives: databases, tables, and files of their own formats.
// Each makes one with a script in every text field.
var madeArchives = map[string]func(t *testing.T) plantedFile{
	"aistudio":        madeAIStudio,
	"apertomemory":    madeApertoMemory,
	"claudememory":    madeClaudeMemory,
	"copilot":         madeCopilot,
	"cursor":          madeCursor,
	"geminiworkspace": madeGeminiWorkspace,
	"gpt4all":         madeGPT4All,
	"memorylist":      madeMemoryList,
	"ollama":          madeOllama,
	"pam":             madePAM,
	"portablemem":     madePortableMemory,
	"zed":             madeZed,
}

func TestScriptsInMadeArchivesAreText(t *testing.T) {
	t.Parallel()
	p, address := serveReal(t)
	s := &site{Page: p, Server: &httptest.Server{URL: address}}
	for i, provider := range slices.Sorted(maps.Keys(madeArchives)) {
		if testing.Short() && i%6 != 3 {
			continue // the same code
		}
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			v := s.letIn(t, provider)
			pages := []string{v.importByForm(madeArchives[provider](t))}
			for _, name := range []string{"imports", "conversations", "memories?status=", "review", "search?q=alert", "timeline", "store", "store/render"} {
				pages = append(pages, Base+name)
			}
			if _, isShown := v.crawl(pages...); !isShown {
				t.Error("no page shows the script: the archive is not imported as it should be")
			}
		})
	}
}

// No provider is left out: each has fixtures that scripts are planted in, or an archive is made.
func TestEveryProviderIsAttacked(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("..", "..", "..", "providers", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		provider := filepath.Base(folder)
		if _, err := os.Stat(filepath.Join(folder, "importer.go")); err != nil || slices.Contains(noProviders, provider) {
			continue
		}
		if _, isMade := madeArchives[provider]; isMade {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, "testdata")); err != nil || len(archivesOf(t, filepath.Join(folder, "testdata"), false)) == 0 {
			t.Errorf("no archive of %s has scripts in it", provider)
		}
	}
}

// noProviders are packages beside those of providers.
var noProviders = []string{"importer", "importertest", "lossless"}

// quoted is a text of SQL.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// zipFiles is a zip of files, each a name and a content.
func zipFiles(t *testing.T, name string, files ...string) plantedFile {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return plantedFile{name, b.Bytes()}
}

func madeCopilot(t *testing.T) plantedFile {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.WriteAll([][]string{
		{"Conversation", "Time", "Author", "Message"},
		{"Tea " + hostile, "2026-02-17T14:36:11", "AI", "Assam is strong. " + hostile},
		{"Tea " + hostile, "2026-02-17T14:36:10", "Human", "My name is Ana. Which tea? " + hostile},
	})
	if err != nil {
		t.Fatal(err)
	}
	return plantedFile{"copilot-activity-history.csv", b.Bytes()}
}

func madeZed(t *testing.T) plantedFile {
	t.Helper()
	thread := encode(t, object{"title": hostile, "model": object{"provider": hostile, "model": hostile}, "messages": []object{
		{"User": object{"id": "u1", "content": []object{{"Text": "Why does the kite fall? " + hostile}, {"Mention": object{"uri": object{"File": object{"abs_path": "/" + hostile}}, "content": hostile}}}}},
		{"Agent": object{"content": []object{{"Thinking": object{"text": hostile, "signature": "a"}}, {"Text": hostile}, {"ToolUse": object{"id": "t1", "name": hostile, "raw_input": "{}", "input": object{"path": hostile}, "is_input_complete": true}}},
			"tool_results": object{"t1": object{"tool_use_id": "t1", "tool_name": hostile, "is_error": false, "content": object{"Text": hostile}}}}},
	}})
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return plantedFile{"threads.db", sqlitetest.Make(t,
		"CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB NOT NULL)",
		"INSERT INTO threads VALUES('2b1c2d10-0000-4000-8000-000000000001', "+quoted(hostile)+", '2025-11-02T10:00:00Z', 'zstd', x'"+hex.EncodeToString(w.EncodeAll([]byte(thread), nil))+"')")}
}

func madeCursor(t *testing.T) plantedFile {
	t.Helper()
	const chat = "4c1c2d10-0000-4000-8000-000000000001"
	row := func(key string, value any) string {
		return "INSERT INTO cursorDiskKV VALUES(" + quoted(key) + ", " + quoted(encode(t, value)) + ")"
	}
	return plantedFile{"state.vscdb", sqlitetest.Make(t,
		"CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)", "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
		row("bubbleId:"+chat+":b1", object{"_v": 3, "bubbleId": "b1", "type": 1, "text": "Why does the kite fall? " + hostile, "createdAt": "2026-01-02T03:04:05.000Z"}),
		row("bubbleId:"+chat+":b2", object{"_v": 3, "bubbleId": "b2", "type": 2, "text": hostile, "createdAt": "2026-01-02T03:04:06.000Z", "thinking": object{"text": hostile}, "modelInfo": object{"modelName": hostile},
			"toolFormerData": object{"tool": 5, "name": hostile, "toolCallId": "c", "rawArgs": hostile, "params": "{}", "result": hostile, "status": "completed"}}),
		row("composerData:"+chat, object{"_v": 10, "composerId": chat, "name": hostile, "createdAt": 1767323040123, "fullConversationHeadersOnly": []object{{"bubbleId": "b1", "type": 1}, {"bubbleId": "b2", "type": 2}}}))}
}

func madeOllama(t *testing.T) plantedFile {
	t.Helper()
	return plantedFile{"db.sqlite", sqlitetest.Make(t,
		"CREATE TABLE chats (id TEXT PRIMARY KEY, title TEXT, created_at TIMESTAMP)",
		"CREATE TABLE messages (id INTEGER PRIMARY KEY, chat_id TEXT, role TEXT, content TEXT, thinking TEXT, stream BOOLEAN, model_name TEXT, model_cloud BOOLEAN, created_at TIMESTAMP, updated_at TIMESTAMP, thinking_time_start TIMESTAMP, thinking_time_end TIMESTAMP)",
		"CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, message_id INTEGER, type TEXT, function_name TEXT, function_arguments TEXT, function_result TEXT)",
		"INSERT INTO chats VALUES('c-1', "+quoted(hostile)+", '2026-01-02 03:04:05')",
		"INSERT INTO messages(id, chat_id, role, content, thinking, stream, model_name, created_at, updated_at) VALUES"+
			"(1, 'c-1', 'user', "+quoted("Which tea? "+hostile)+", '', 0, NULL, '2026-01-02 03:04:06', '2026-01-02 03:04:06'),"+
			"(2, 'c-1', 'assistant', "+quoted(hostile)+", "+quoted(hostile)+", 1, "+quoted(hostile)+", '2026-01-02 03:04:07', '2026-01-02 03:04:08')",
		"INSERT INTO tool_calls VALUES(1, 2, 'function', "+quoted(hostile)+", "+quoted(encode(t, object{"q": hostile}))+", "+quoted(hostile)+")")}
}

func madeAIStudio(t *testing.T) plantedFile {
	t.Helper()
	return zipFiles(t, "takeout.zip", "Takeout/Drive/Google AI Studio/Prompt", encode(t, object{
		"runSettings":       object{"temperature": 1, "model": "models/gemini-2.5-pro"},
		"systemInstruction": object{"parts": []object{{"text": hostile}}},
		"chunkedPrompt": object{"chunks": []object{
			{"text": "What is 2+2? " + hostile, "role": "user", "tokenCount": 9, "createTime": "2025-08-14T20:13:51.123Z"},
			{"text": hostile, "role": "model", "isThought": true},
			{"role": "model", "parts": []object{{"text": hostile}, {"executableCode": object{"language": "PYTHON", "code": hostile}}, {"codeExecutionResult": object{"outcome": "OUTCOME_OK", "output": hostile}}}},
			{"text": hostile, "role": "model", "grounding": object{"groundingSources": []object{{"referenceNumber": 1, "title": hostile, "uri": "javascript:alert(1)"}}}},
		}},
	}))
}

func madeGeminiWorkspace(t *testing.T) plantedFile {
	t.Helper()
	const at = "2026-02-17T14:36:11.123456+00:00"
	return zipFiles(t, "takeout.zip", "Takeout/Gemini in Workspace/Conversation History/conversation_123.txt", encode(t, object{
		"title": hostile, "creation_time": at, "last_modification_time": at, "conversation_turns": []object{
			{"user_turn": object{"prompt": "Which tea? " + hostile, "turn_index": 0, "turn_last_modified": at}},
			{"system_turn": object{"text": []object{{"preamble": hostile, "data": hostile}, {"cards": []object{{"content": hostile}}}}, "model_thoughts": []object{{"headline": hostile, "description": hostile}}, "images": []string{hostile}, "turn_index": 0, "turn_last_modified": at}},
		},
	}))
}

func madeClaudeMemory(t *testing.T) plantedFile {
	t.Helper()
	return zipFiles(t, "memory.zip",
		"memory/MEMORY.md", "# Memory\n\n- [Who Ana is](who_ana_is.md) — "+hostile+"\n\n- Ana's dentist is Dr. Virtanen "+hostile+"\n",
		"memory/who_ana_is.md", "---\nname: Who Ana is\ndescription: home\ntype: user\n---\n\nLives in Turku. "+hostile+"\n")
}

func madeMemoryList(*testing.T) plantedFile {
	return plantedFile{"notes.md", []byte("[2026-01-02] - Likes tea " + hostile + "\n[2026-01-03] - Has a cat " + hostile + "\n")}
}

// madeApertoMemory is an opened payload, in CBOR: kind, content, trust and topics.
func madeApertoMemory(*testing.T) plantedFile {
	text := func(s string) string {
		return "\x79" + string(binary.BigEndian.AppendUint16(nil, uint16(len(s)))) + s //nolint:gosec // short
	}
	return plantedFile{"payload.cbor", []byte("\xa5\x01\x02\x02" + text("Ana likes tea "+hostile) + "\x03\xf9\x38\x00\x05\x01\x06\x81" + text(hostile))}
}

func madePAM(t *testing.T) plantedFile {
	t.Helper()
	return plantedFile{"memory-store.json", []byte(encode(t, object{"schema": "portable-ai-memory", "schema_version": "1.0", "owner": object{"id": "ana"}, "memories": []object{{
		"id": "m1", "type": "custom", "custom_type": "tea", "content": "Keeps bees " + hostile, "content_hash": "sha256:", "summary": hostile, "tags": []string{hostile}, "temporal": object{"created_at": "2026-01-01T02:00:00Z"},
		"provenance": object{"platform": "claude", "extractor": hostile, "conversation_ref": hostile}, "metadata": object{"note": hostile, "status_reason": hostile},
	}}}))}
}

func madePortableMemory(t *testing.T) plantedFile {
	t.Helper()
	w := mem.NewWriter(t.TempDir())
	defer w.Close()
	err := w.Add("episode", []byte(encode(t, object{
		"id": "ep_1", "eventTime": "2024-03-01T10:00:00Z", "mentionTime": "2024-03-01T10:00:00Z", "ingestionTime": "2024-03-01T10:00:00Z", "sourceType": "note", "actors": []string{hostile}, "summary": hostile, "details": "Ana likes tea. " + hostile,
		"sensitivity": "low", "metadata": object{}, "categories": []string{hostile}, "importance": 0.5, "confidence": 0.8, "lifecycleState": "COLD", "extractionState": "done", "accessCount": 0, "pinned": false, "vaultRefs": []string{},
	})))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	_, err = w.Write(func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		files = append(files, "my.mem/"+name, b.String())
		return err
	}, mem.WriteOptions{Generator: "peer/1", CreatedAt: "2024-05-01T00:00:00Z", Level: "L2"})
	if err != nil {
		t.Fatal(err)
	}
	return zipFiles(t, "memory.zip", files...)
}

// madeGPT4All is a chat file of version 12: texts are UTF-16 behind their size.
func madeGPT4All(*testing.T) plantedFile {
	var b []byte
	u32 := func(values ...uint32) {
		for _, v := range values {
			b = binary.BigEndian.AppendUint32(b, v)
		}
	}
	u64 := func(v uint64) { b = binary.BigEndian.AppendUint64(b, v) }
	text := func(texts ...string) {
		for _, s := range texts {
			units := utf16.Encode([]rune(s))
			u32(uint32(2 * len(units))) //nolint:gosec // short
			for _, u := range units {
				b = binary.BigEndian.AppendUint16(b, u)
			}
		}
	}
	u32(0xF5D553CC, 12)
	u64(1717247100)
	text("5c1c2d10-0000-4000-8000-000000000001", hostile, "", "rye-14b.gguf")
	u32(1)
	text(hostile)
	u32(2)
	for _, m := range [][2]string{{"Prompt: ", "Which flour? " + hostile}, {"Response: ", hostile}} {
		text(m[0], m[1], "")
		b = append(b, 0, 0, 1, 0)
		if m[0] == "Response: " {
			b = append(b, 0)
		}
		u64(0) // sources
		u64(0) // attachments
		u64(0) // parts
	}
	return plantedFile{"gpt4all-5c1c2d10.chat", b}
}
