package assemble

import (
	"strings"
	"testing"
)

func TestTheKeyCoversAllThatDeterminesAFile(t *testing.T) {
	base := func() group {
		src := Source{File: "f", Checksum: "c", ImportedAt: "t", Importer: "i", ImporterVersion: "v"}
		return group{
			{Conversation: "id", Order: "1", Digest: "a", Source: src},
			{Conversation: "id", Order: "2", Digest: "b", Source: src},
		}
	}
	keys := map[string]string{base().key(): "the same"}
	for what, change := range map[string]func(g group){
		"conversation":        func(g group) { g[0].Conversation = "x" },
		"a digest":            func(g group) { g[1].Digest = "x" },
		"an order":            func(g group) { g[1].Order = "x" },
		"swapped":             func(g group) { g[0], g[1] = g[1], g[0] },
		"source file":         func(g group) { g[0].Source.File = "x" },
		"source checksum":     func(g group) { g[0].Source.Checksum = "x" },
		"time of the import":  func(g group) { g[0].Source.ImportedAt = "x" },
		"importer":            func(g group) { g[0].Source.Importer = "x" },
		"version of importer": func(g group) { g[0].Source.ImporterVersion = "x" },
	} {
		g := base()
		change(g)
		if other, ok := keys[g.key()]; ok {
			t.Errorf("%s: the key is that of %q", what, other)
		}
		keys[g.key()] = what
	}
	alone := base()[:1]
	if _, ok := keys[alone.key()]; ok {
		t.Error("a snapshot less makes no difference")
	}
	// Where the bytes lie, and the source of a later contributor, do not matter.
	g := base()
	g[0].Pack, g[0].Offset, g[1].Position, g[1].Source.File = "p", 7, 9, "other"
	if keys[g.key()] != "the same" {
		t.Error("the key depends on what does not determine the file")
	}
}

func TestOnlyUUIDsNameFiles(t *testing.T) {
	const id = "0123abcd-0123-5123-8123-0123456789ab"
	if !isID(id) {
		t.Error("a UUID is refused")
	}
	for _, bad := range []string{"", "x", strings.ToUpper(id), id + "0", id[1:], strings.Replace(id, "-", "/", 1), "../../../../../../../../../etc/passwd"} {
		if isID(bad) {
			t.Errorf("%q is a UUID", bad)
		}
	}
}

func TestIDsOfAnyTextNameFilesByAUUID(t *testing.T) {
	for _, id := range []string{"conv-001", "../../../etc/x", "A", ""} {
		if stem := fileStem(id); !isID(stem) || stem == id {
			t.Errorf("the files of conversation %q are called %q", id, stem)
		}
	}
	if id := "0b5c1f5e-3b1c-5d55-8d0c-0f0e3d3f4a11"; fileStem(id) != id {
		t.Error("a UUID names its files itself")
	}
}
