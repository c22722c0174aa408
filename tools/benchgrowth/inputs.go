package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/tools/internal/made"
)

// perMB is how many made-up conversations make a megabyte of JSON.
const perMB = 22

func writeArchive(file string, mb int) error { return writeConversations(file, mb*perMB) }

func writeConversations(file string, n int) error {
	return create(file, func(w io.Writer) error { return made.Export{Seed: 7, Conversations: n}.Write(w) })
}

func create(file string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// writeMemories writes a store of n memories.
func writeMemories(file string, n int) error {
	var memories bytes.Buffer
	list := pamio.NewSection(&memories)
	for i := range n {
		content := fmt.Sprintf("Keeps a bird of kind %d, which sings in the morning.", i)
		m := &pamio.Memory{
			ID: id(i), Type: "fact", Status: "active", Content: content, ContentHash: pamio.ContentHash(content), Tags: []string{},
			Temporal:   pamio.Temporal{CreatedAt: "2025-03-01T10:00:00Z"},
			Provenance: pamio.Provenance{Platform: "chatgpt", ExtractionMethod: "llm_inference"},
		}
		text, err := m.AppendCanonical(nil)
		if err != nil {
			return err
		}
		if err := list.AddOrdered(m.ID, text); err != nil {
			return err
		}
	}
	h := pamio.Header{ExportID: id(0), ExportedBy: "benchgrowth/1.0.0", ExportDate: "2026-01-01T00:00:00Z", Owner: pamio.Owner{ID: "bench"}, ExportType: "full"}
	return create(file, func(w io.Writer) error { return pamio.WriteStore(w, h, &memories, nil, nil, list.Integrity(), nil) })
}

func id(n int) string { return fmt.Sprintf("%08x-0000-5000-8000-000000000000", n) }

// writeBranches writes one conversation whose first message was answered n times.
func writeBranches(file string, n int) error {
	return create(file, func(out io.Writer) error {
		z := zip.NewWriter(out)
		member, err := z.Create("conversations.json")
		if err != nil {
			return err
		}
		var w bytes.Buffer
		fmt.Fprintf(&w, `[{"title":"branches","create_time":1.7e9,"update_time":1.7e9,"conversation_id":"%s","id":"%s","current_node":"%s","mapping":{`, id(1), id(1), id(10))
		fmt.Fprintf(&w, `"%s":{"id":"%s","message":null,"parent":null,"children":[`, id(1), id(1))
		for i := range n {
			fmt.Fprintf(&w, `%s"%s"`, comma(i), id(10+i))
		}
		fmt.Fprint(&w, `]}`)
		for i := range n {
			k := id(10 + i)
			fmt.Fprintf(&w, `,"%s":{"id":"%s","parent":"%s","children":[],"message":{"id":"%s","author":{"role":"user","name":null,"metadata":{}},"create_time":1.7e9,"content":{"content_type":"text","parts":["Branch %d of the talk, with a line of text."]},"status":"finished_successfully","weight":1.0,"metadata":{},"recipient":"all"}}`,
				k, k, id(1), k, i)
		}
		fmt.Fprint(&w, "}}]")
		_, err = member.Write(w.Bytes())
		return errors.Join(err, z.Close())
	})
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
