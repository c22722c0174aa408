package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pamline/pamline/pamio"
)

// seed makes every store the same.
const seed = 20260101

// writer makes a store whose words are as frequent as those of a language: a few are everywhere,
// most are rare.
type writer struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	words []string
	index *pamio.Section
	size  int64
}

// vocabulary is how many different words there are; sounds and scripts are what they are made of.
const vocabulary = 120_000

var (
	sounds = strings.Fields("ba be bi co cu da de di fa fo ga gi ha ho ja ka ke la le li ma me mi na ne no pa pe po qua ra re ri sa se si so ta te ti to tu va ve vi wa we xi ya zo")
	others = [][]string{
		strings.Fields("ба ве ги до жа зи ка ло ме ну по ра се ти фо ха це ча ши ё"),
		strings.Fields("با تي جو حا خي دو را زي سا شو عا في قا كو لا مي نا هو"),
		strings.Split("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长", ""),
	}
)

func newWriter() *writer {
	w := &writer{r: rand.New(rand.NewPCG(seed, seed))}
	w.zipf = rand.NewZipf(w.r, 1.07, 8, vocabulary-1)
	w.words = make([]string, vocabulary)
	for i := range w.words {
		syllables, joint := sounds, 1+min(3, i/40)
		if i%10 == 9 { // every tenth word is of another script
			syllables = others[i/10%len(others)]
			joint = 2
		}
		var b strings.Builder
		for range joint + w.r.IntN(2) {
			b.WriteString(syllables[w.r.IntN(len(syllables))])
		}
		w.words[i] = b.String()
	}
	return w
}

func (w *writer) text(words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteString([]string{" ", " ", " ", " ", " ", " ", ", ", ". ", "\n"}[w.r.IntN(9)])
		}
		b.WriteString(w.words[w.zipf.Uint64()])
	}
	return b.String()
}

// writeStore makes a bundle with conversation files of a size altogether, unless it is there.
func writeStore(folder string, size int64) error {
	if _, err := os.Stat(filepath.Join(folder, pamio.StoreFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, "conversations"), 0o700); err != nil {
		return err
	}
	w := newWriter()
	var index, memories bytes.Buffer
	w.index = pamio.NewSection(&index)
	list := pamio.NewSection(&memories)
	n := 0
	for ; w.size < size; n++ {
		if err := w.conversation(folder, n); err != nil {
			return err
		}
	}
	for i := range 5 * n {
		if err := w.memory(list, i); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(folder, pamio.StoreFile))
	if err != nil {
		return err
	}
	h := pamio.Header{ExportID: id(4, 0), ExportedBy: "benchsearch/1.0.0", ExportDate: "2026-01-01T00:00:00Z", Owner: pamio.Owner{ID: "bench"}, ExportType: "full"}
	return errors.Join(pamio.WriteStore(f, h, &memories, nil, &index, list.Integrity(), nil), f.Close())
}

func id(kind, n int) string { return fmt.Sprintf("%08x-0000-5000-8000-%012d", n, kind) }

// conversation writes a file of 2 to some 200 messages.
func (w *writer) conversation(folder string, n int) error {
	title := w.text(2 + w.r.IntN(5))
	at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 37 * time.Minute)
	c := &pamio.Conversation{
		ID: id(1, n), Title: &title, Provider: pamio.Provider{Name: []string{"chatgpt", "claude", "gemini"}[n%3], ConversationID: fmt.Sprint(n)},
		Temporal: pamio.Span{CreatedAt: pamio.FormatTime(at)},
	}
	for i := range 2 + int(w.r.ExpFloat64()*22) {
		role, length := "user", 4+int(w.r.ExpFloat64()*40)
		if i%2 == 1 {
			role, length = "assistant", 20+int(w.r.ExpFloat64()*260)
		}
		at = at.Add(20 * time.Second)
		text := w.text(length)
		c.Messages = append(c.Messages, pamio.Message{
			ID: fmt.Sprintf("%d-%d", n, i), Role: role, CreatedAt: pamio.FormatTime(at), Content: &pamio.Content{Type: "text", Text: &text},
		})
	}
	doc := c.AppendJSON(nil)
	w.size += int64(len(doc))
	count := int64(len(c.Messages))
	ref := fmt.Sprintf("conversations/%s.%.8x.json", c.ID, sha256.Sum256(doc)) // a file is read only if it is what its name says
	e := &pamio.IndexEntry{
		ID: c.ID, Platform: c.Provider.Name, Title: c.Title, MessageCount: &count, Temporal: c.Temporal, Tags: []string{},
		Storage: &pamio.Storage{Type: "file", Ref: ref, Format: "json"},
	}
	entry, err := e.AppendCanonical(nil)
	if err != nil {
		return err
	}
	if err := w.index.Add(entry); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, filepath.FromSlash(ref)), doc, 0o600)
}

func (w *writer) memory(list *pamio.Section, n int) error {
	content := fmt.Sprintf("%s %d.", w.text(8), n)
	m := &pamio.Memory{
		ID: id(2, n), Type: "fact", Status: "active", Content: content, ContentHash: pamio.ContentHash(content), Tags: []string{},
		Temporal:   pamio.Temporal{CreatedAt: "2025-03-01T10:00:00Z"},
		Provenance: pamio.Provenance{Platform: "chatgpt", ExtractionMethod: "llm_inference"},
	}
	text, err := m.AppendCanonical(nil)
	if err != nil {
		return err
	}
	return list.AddOrdered(m.ID, text)
}
