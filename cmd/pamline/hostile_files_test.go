//go:build linux

package main

import (
	"archive/zip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/pamline/pamline/interop/mem"
)

// Files of other formats that are small for what they could cost.

// writeRows writes a table whose rows all have one title.
func writeRows(w io.Writer, n int) error {
	return writeRepeated(w, "Conversation,Time,Author,Message\n", "One,2024-01-01T00:00:00,Human,row %d\n", "", "", n)
}

// writeTableOfChats writes a table of n questions and answers of one workspace.
func writeTableOfChats(w io.Writer, n int) error {
	return writeRepeated(w, "id,username,workspace,prompt,response,sent_at,rating\n", "\"%[1]d\",\"ada\",\"Teas\",\"Why %[1]d?\",\"So.\",\"2026-01-02T03:04:05.000Z\",\"\"\n", "", "", n)
}

// writeListOfChats writes a list of n questions and answers of n workspaces.
func writeListOfChats(w io.Writer, n int) error {
	return writeRepeated(w, "[", `{"id":%[1]d,"workspace":"W%[1]d","username":"ada","prompt":"Why?","response":"So.","sent_at":"2026-01-02T03:04:05.000Z","rating":null,"attachments":[]}`, ",", "]", n)
}

// writeActivity writes n rows of the log of Gemini, each a conversation.
func writeActivity(w io.Writer, n int) error {
	return zipFile(w, "Takeout/My Activity/Gemini Apps/MyActivity.json", func(w io.Writer) error {
		return writeRepeated(w, "[", `{"header":"Gemini Apps","title":"Prompted Why %[1]d?","titleUrl":"https://gemini.google.com/app/%016[1]x","time":"2026-01-02T03:04:05Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>So.</p>"}]}`, ",", "]", n)
	})
}

const (
	cellBefore = `<div class="outer-cell"><div class="mdl-grid"><div class="header-cell"><p class="mdl-typography--title">Gemini Apps<br></p></div><div class="content-cell mdl-typography--body-1">`
	cellAfter  = `</div><div class="content-cell mdl-typography--caption"><b>Products:</b><br>&emsp;Gemini Apps<br></div></div></div>`
)

// writeCells writes the same as a page.
func writeCells(w io.Writer, n int) error {
	return zipFile(w, "Takeout/My Activity/Gemini Apps/MyActivity.html", func(w io.Writer) error {
		return writeRepeated(w, "<html><head><title>x</title></head><body>", cellBefore+"Prompted Why %d?<br>Jan 2, 2026, 3:04:05 PM UTC<br><p>So.</p>"+cellAfter, "", "</body></html>", n)
	})
}

// writeDeepCell writes a page with an answer of elements that are nested n times.
func writeDeepCell(w io.Writer, n int) error {
	return zipFile(w, "Takeout/My Activity/Gemini Apps/MyActivity.html", func(w io.Writer) error {
		good := cellBefore + "Prompted Good?<br>Jan 2, 2026, 3:04:05 PM UTC<br><p>So.</p>" + cellAfter
		return writeRepeated(w, "<html><head><title>x</title></head><body>"+good+cellBefore+"Prompted Why?<br>Jan 2, 2026, 3:04:05 PM UTC<br>", "<div><blockquote><ul><li>", "", cellAfter+good+"</body></html>", n)
	})
}

// writeDeepPage writes a page of NotebookLM with elements that are nested n times.
func writeDeepPage(w io.Writer, n int) error {
	return zipFile(w, "Takeout/NotebookLM/N/Chat History/Chat Session - 00000000-0000-4000-8000-000000000001.html", func(w io.Writer) error {
		return writeRepeated(w, "<html><body><p>USER: Why?</p><p>MODEL: So.</p>", "<div><b><ul><li>", "", "<p>USER: end</p></body></html>", n)
	})
}

// writeTurns writes a page of NotebookLM with n turns.
func writeTurns(w io.Writer, n int) error {
	return zipFile(w, "Takeout/NotebookLM/N/Chat History/Chat Session - 00000000-0000-4000-8000-000000000001.html", func(w io.Writer) error {
		return writeRepeated(w, "<html><body>", "<p>USER: a</p><p>MODEL: b</p>", "", "</body></html>", n)
	})
}

// writeBlocks writes a history of Aider with a run of n questions.
func writeBlocks(w io.Writer, n int) error {
	return writeRepeated(w, "\n# aider chat started at 2025-05-01 12:00:00\n\n", "#### a  \n\nb\n\n", "", "", n)
}

// writeManyMemories writes a record of Claude with n memories.
func writeManyMemories(w io.Writer, n int) error {
	return writeRepeated(w, `[{"conversations_memory":"**Work context**\n\n`, `- The user likes tea number %d.\n`, "", `","project_memories":{},"account_uuid":"a0000000-0000-4000-8000-00000000000a"}]`, n)
}

// writeMemoryList writes a Markdown list of n memories.
func writeMemoryList(w io.Writer, n int) error {
	return writeRepeated(w, "# Memories\n\n", "- I like tea number %d.\n", "", "", n)
}

// writeAliases writes a document whose aliases stand for 10 to the n values.
func writeAliases(w io.Writer, n int) error {
	text := "mif_version: \"1.0\"\nexport:\n  id: exp_a1\n  created_at: \"2026-01-02T00:00:00Z\"\n  user_id: ana\nx0: &x0 tea\n"
	for i := range n {
		text += fmt.Sprintf("x%d: &x%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i), 10), ","))
	}
	_, err := io.WriteString(w, text+"memories:\n  - id: mem_aa\n    content: Ana likes tea.\n    type: Pattern\n    created_at: \"2026-01-01T00:00:00Z\"\n")
	return err
}

// writeMIF writes a document of n memories.
func writeMIF(w io.Writer, n int) error {
	return writeRepeated(w, `{"mif_version":"2.0","export_meta":{"id":"e","created_at":"2026-01-02T00:00:00Z","user_id":"ana"},"memories":[`,
		`{"id":"5e0e2c1c-0a57-4f63-9f5e-%012[1]d","content":"Ana likes tea %[1]d.","memory_type":"pattern","created_at":"2026-01-01T00:00:00Z","metadata":{}}`, ",", "]}", n)
}

// writeMem writes a bundle of n records as a zip.
func writeMem(w io.Writer, n int) error {
	return zipOfMem(w, n, nil)
}

// writeMemLies writes a bundle of n records whose manifest names a file outside of it.
func writeMemLies(w io.Writer, n int) error {
	return zipOfMem(w, n, strings.NewReplacer(`"items/episode.jsonl"`, `"../../../../etc/passwd"`))
}

func zipOfMem(w io.Writer, n int, lie *strings.Replacer) error {
	const episode = `{"id":"ep_%d","eventTime":"2024-03-01T10:00:00Z","mentionTime":"2024-03-01T10:00:00Z","ingestionTime":"2024-03-01T10:00:00Z","sourceType":"note","actors":[],"summary":"","details":"Ana likes tea.","sensitivity":"low","metadata":{},"categories":[],"importance":0.5,"confidence":0.8,"lifecycleState":"COLD","extractionState":"done","accessCount":0,"pinned":false,"vaultRefs":[]}`
	records := mem.NewWriter("")
	defer records.Close()
	for i := range n {
		if err := records.Add("episode", fmt.Appendf(nil, episode, i)); err != nil {
			return err
		}
	}
	z := zip.NewWriter(w)
	_, err := records.Write(func(name string, write func(io.Writer) error) error {
		f, err := z.Create(name)
		if err != nil {
			return err
		}
		if lie == nil || name != mem.ManifestFile {
			return write(f)
		}
		var text strings.Builder
		err = write(&text)
		_, failed := lie.WriteString(f, text.String())
		return errors.Join(err, failed)
	}, mem.WriteOptions{Generator: "peer/1", CreatedAt: "2024-05-01T00:00:00Z", Level: "L2"})
	return errors.Join(err, z.Close())
}

// writePDF writes what looks like a document, with n objects, under the name of an export.
func writePDF(w io.Writer, n int) error {
	return writeRepeated(w, "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "%d 0 obj\n<< /Type /Page /Kids [1 0 R] >>\nendobj\n", "", "trailer << /Root 1 0 R >>\n%%EOF\n", n)
}

// cursorTable is the table that chats of Cursor lie in.
const cursorTable = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"

const cursorChat = `INSERT INTO cursorDiskKV VALUES ('composerData:a', '{"composerId":"a","name":"Kite","createdAt":1767323040123,"conversation":[{"type":1,"bubbleId":"1","text":"Why does the kite fall?"}]}')`

// writeEndlessView writes a database whose chats are a view that never ends.
func writeEndlessView(w io.Writer, _ int) error {
	return cursorZip(w, nil, "CREATE VIEW cursorDiskKV AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT 'composerData:'||i AS key, '{}' AS value FROM n",
		"CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
}

// writeTriggers writes a database with triggers, generated columns and views that call each other n
// times deep.
func writeTriggers(w io.Writer, n int) error {
	statements := []string{cursorTable, cursorChat, "CREATE VIEW v0 AS SELECT key FROM cursorDiskKV"}
	for i := range n {
		statements = append(statements, fmt.Sprintf("CREATE VIEW v%d AS SELECT a.key FROM v%d a, v%d b", i+1, i, i),
			fmt.Sprintf("CREATE TRIGGER t%d AFTER INSERT ON cursorDiskKV BEGIN DELETE FROM cursorDiskKV; END", i))
	}
	return cursorZip(w, nil, statements...)
}

// writeHugeRows writes a database in which n rows have 1 MiB of zeros each that take no space in
// the statement, and one row more than a conversation may have.
func writeHugeRows(w io.Writer, n int) error {
	return cursorZip(w, nil, cursorTable, cursorChat,
		fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d) INSERT INTO cursorDiskKV SELECT 'bubbleId:a:'||i, zeroblob(1048576) FROM n", n),
		"INSERT INTO cursorDiskKV VALUES ('composerData:b', zeroblob(200000000))")
}

// writeHugeDatabase writes a database of n chats that claims to have four billion pages.
func writeHugeDatabase(w io.Writer, n int) error {
	return cursorZip(w, func(file []byte) { copy(file[28:], "\xff\xff\xff\xff") }, cursorTable, cursorChat, manyChats(n))
}

// writeTornDatabase writes a database of n chats in which every third page is damaged.
func writeTornDatabase(w io.Writer, n int) error {
	return cursorZip(w, func(file []byte) {
		const page = 4096
		for i := 3 * page; i+page <= len(file); i += 3 * page {
			for k := range 64 {
				file[i+k*61] ^= 0xff
			}
		}
	}, cursorTable, cursorChat, manyChats(n))
}

// manyChats is a statement that adds n chats.
func manyChats(n int) string {
	return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d) INSERT INTO cursorDiskKV SELECT 'composerData:'||i, "+
		`'{"composerId":"'||i||'","createdAt":1767323040123,"conversation":[{"type":1,"bubbleId":"1","text":"Why does the kite fall?"}]}' FROM n`, n)
}

// cursorZip writes a zip of a database that is made by statements, and then changed.
func cursorZip(w io.Writer, change func([]byte), statements ...string) (err error) {
	folder, err := os.MkdirTemp("", "hostile-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	name := filepath.Join(folder, "made.db")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil { //nolint:noctx // a file of the test
			return errors.Join(err, db.Close())
		}
	}
	if err := db.Close(); err != nil {
		return err
	}
	return zipFile(w, "Cursor/User/globalStorage/state.vscdb", func(w io.Writer) error {
		file, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if change != nil {
			change(file)
		}
		_, err = w.Write(file)
		return err
	})
}

// zipFile writes a zip of one file.
func zipFile(w io.Writer, name string, write func(io.Writer) error) error {
	z := zip.NewWriter(w)
	f, err := z.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), z.Close())
}
