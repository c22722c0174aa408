package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pamio/signature"
)

// What a store holds for each conversation, and how many bytes that takes.
const (
	memoriesEach  = 9
	relationsEach = 4
	bytesEach     = 6070
)

// writeStores writes a store of about size bytes, and a later one of the same owner in which one
// memory in a hundred was archived. It gives the size of the first. Files that are there stay.
func writeStores(base, next string, size int64) (int64, error) {
	g := generator{conversations: uint64(max(size/bytesEach, 1))}
	for _, s := range []struct {
		file, export string
		every        uint64
	}{{base, "e-1", 0}, {next, "e-2", 100}} {
		if _, err := os.Stat(s.file); err == nil {
			continue
		}
		if err := g.write(s.file, s.export, s.every); err != nil {
			return 0, err
		}
	}
	info, err := os.Stat(base)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// generator makes the elements of a store. Ids look as if they were drawn by chance, and ascend:
// the id of element i of n lies in the i-th of n equal parts of all ids.
type generator struct{ conversations uint64 }

func mixBits(x uint64) uint64 {
	x = (x ^ x>>31) * 0x9E3779B97F4A7C15
	x = (x ^ x>>29) * 0xBF58476D1CE4E5B9
	return x ^ x>>32
}

func (g generator) id(kind, i, n uint64) string {
	part := ^uint64(0) / n
	high := part*i + mixBits(kind<<56+i)%part
	low := mixBits(high)
	return fmt.Sprintf("%08x-%04x-5%03x-8%03x-%012x", high>>32, high>>16&0xffff, high&0xfff, low>>52, low&0xffffffffffff)
}

func (g generator) memory(i uint64) string { return g.id(1, i, g.conversations*memoriesEach) }

func (g generator) conversation(i uint64) string { return g.id(2, i, g.conversations) }

// of is the conversation of a memory, and nth the memory n of a conversation: memories that were
// said in one conversation are far apart in the order of ids.
func (g generator) of(memory uint64) uint64 { return memory % g.conversations }

func (g generator) nth(conversation, n uint64) uint64 { return n*g.conversations + conversation }

func (g generator) write(file, export string, every uint64) (err error) {
	var parts [3]string
	var integrity pamio.Integrity
	for i, count := range []uint64{g.conversations * memoriesEach, g.conversations * relationsEach, g.conversations} {
		parts[i] = file + ".part" + fmt.Sprint(i)
		defer func() { err = errors.Join(err, os.Remove(parts[i])) }()
		section, err := g.section(parts[i], i, count, every)
		if err != nil {
			return err
		}
		if i == 0 {
			integrity = section.Integrity()
		}
	}
	var open [3]*os.File
	for i, name := range parts {
		if open[i], err = os.Open(name); err != nil {
			return err
		}
		defer open[i].Close()
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	h := pamio.Header{Owner: pamio.Owner{ID: "me"}, ExportID: export, ExportDate: "2026-03-01T00:00:00Z"}
	signed, err := sign(h, integrity)
	if err == nil {
		err = pamio.WriteStore(out, h, open[0], open[1], open[2], integrity, signed)
	}
	return errors.Join(err, out.Close())
}

// sign signs with a key that is thrown away.
func sign(h pamio.Header, in pamio.Integrity) (*pamio.Signature, error) {
	key, err := keys.Generate(keys.Ed25519)
	if err != nil {
		return nil, err
	}
	claims := signature.Claims{ExportID: h.ExportID, ExportDate: h.ExportDate, Checksum: in.Checksum, OwnerID: h.Owner.ID}
	return signature.Sign(claims, key, keys.Ed25519, h.ExportDate, "")
}

func (g generator) section(file string, kind int, count, every uint64) (*pamio.Section, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	s := pamio.NewSection(w)
	for i := range count {
		var id string
		var raw []byte
		switch kind {
		case 0:
			id, raw, err = g.memoryText(i, every > 0 && i%every == 0)
		case 1:
			id, raw, err = g.relationText(i)
		default:
			id, raw, err = g.entryText(i)
		}
		if err == nil {
			err = s.AddOrdered(id, raw)
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return s, errors.Join(w.Flush(), f.Close())
}

var subjects = strings.Fields("gardening chess bread cycling Lisbon piano sailing Kyoto pottery climbing tea maps")

func (g generator) memoryText(i uint64, archived bool) (string, []byte, error) {
	content := fmt.Sprintf("User has told the assistant fact number %d about %s, which is worth remembering for a while.", i, subjects[mixBits(i)%uint64(len(subjects))])
	m := pamio.Memory{
		ID: g.memory(i), Type: "fact", Status: "active", Content: content, ContentHash: pamio.ContentHash(content), Tags: []string{"made"},
		Temporal:   pamio.Temporal{CreatedAt: "2026-01-01T00:00:00Z"},
		Confidence: &pamio.Confidence{Initial: .9, Current: .9, DecayModel: "none"},
		Provenance: pamio.Provenance{Platform: "chatgpt", ConversationRef: g.conversation(g.of(i)), ExtractionMethod: "api_export"},
	}
	if archived {
		m.Status, m.Temporal.UpdatedAt = "archived", "2026-02-01T00:00:00Z"
	}
	raw, err := m.AppendCanonical(nil)
	return m.ID, raw, err
}

func (g generator) relationText(i uint64) (string, []byte, error) {
	memories := g.conversations * memoriesEach
	from, _ := bits.Mul64(mixBits(i), memories)
	r := pamio.Relation{ID: g.id(3, i, g.conversations*relationsEach), From: g.memory(from), To: g.memory((from + 1) % memories), Type: "related_to",
		CreatedAt: "2026-01-01T00:00:00Z"}
	raw, err := r.AppendCanonical(nil)
	return r.ID, raw, err
}

func (g generator) entryText(i uint64) (string, []byte, error) {
	title, messages := fmt.Sprintf("Conversation %d", i), int64(12)
	e := pamio.IndexEntry{ID: g.conversation(i), Platform: "chatgpt", Title: &title, MessageCount: &messages}
	e.Temporal.CreatedAt = "2026-01-01T00:00:00Z"
	for n := range uint64(memoriesEach) {
		e.DerivedMemories = append(e.DerivedMemories, g.memory(g.nth(i, n)))
	}
	raw, err := e.AppendCanonical(nil)
	return e.ID, raw, err
}
