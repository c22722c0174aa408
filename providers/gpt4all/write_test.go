package gpt4all_test

import (
	"encoding/binary"
	"unicode/utf16"
)

// writer writes a file as the program does.
type writer struct {
	b       []byte
	version int32
}

func (w *writer) u32(v uint32)   { w.b = binary.BigEndian.AppendUint32(w.b, v) }
func (w *writer) i32(v int)      { w.u32(uint32(int32(v))) }
func (w *writer) i64(v int)      { w.b = binary.BigEndian.AppendUint64(w.b, uint64(int64(v))) }
func (w *writer) array(s string) { w.u32(uint32(len(s))); w.b = append(w.b, s...) }

func (w *writer) flag(v bool) {
	w.b = append(w.b, 0)
	if v {
		w.b[len(w.b)-1] = 1
	}
}

func (w *writer) text(texts ...string) {
	for _, s := range texts {
		units := utf16.Encode([]rune(s))
		w.u32(uint32(2 * len(units)))
		for _, u := range units {
			w.b = binary.BigEndian.AppendUint16(w.b, u)
		}
	}
}

func (w *writer) texts(list ...string) {
	w.u32(uint32(len(list)))
	w.text(list...)
}

// part is a part of an answer.
type part struct {
	name, value string
	subs        []part
}

// item is a message.
type item struct {
	name, value string
	sources     bool
	attachment  string
	subs        []part
}

// newChat begins a file of a version, up to its items.
func newChat(version int32, id, name string, saved bool) *writer {
	w := &writer{version: version}
	w.u32(0xF5D553CC)
	w.i32(int(version))
	w.i64(1717247100)
	w.text(id, name, "")
	w.text("rye-14b.gguf")
	if version > 2 {
		w.texts("recipes", "grain")
	}
	if version >= 11 {
		return w
	}
	if version >= 6 {
		w.flag(saved)
	}
	if version >= 2 {
		w.i32(1)
		w.i32(0)
	}
	w.text("the answer so far", "a name so far")
	w.i32(42)
	if version < 6 || saved {
		if version < 4 {
			w.u32(1)
		}
		w.u32(2)
		if version >= 7 {
			w.u32(2048)
		}
		if version < 9 {
			w.i64(3)
			w.b = append(w.b, make([]byte, 12)...)
		}
		w.i64(5)
		w.b = append(w.b, make([]byte, 20)...)
		w.array("the state of the model")
	}
	return w
}

func (w *writer) items(items ...item) []byte {
	w.i32(len(items))
	for i, m := range items {
		if w.version < 12 {
			w.i32(i)
		}
		w.text(m.name, m.value)
		if w.version < 10 {
			w.text("a prompt that is no longer used")
		}
		w.text("")
		w.flag(i == len(items)-1)
		w.flag(false)
		w.flag(true)
		w.flag(false)
		if w.version >= 11 && m.name == "Response: " {
			w.flag(false)
		}
		w.references(m.sources)
		if w.version >= 10 {
			n := 0
			if m.attachment != "" {
				n = 1
			}
			w.i64(n)
			if n == 1 {
				w.array("file:///home/anna/flour.xlsx")
				w.array(m.attachment)
			}
		}
		if w.version >= 12 {
			w.parts(m.subs)
		}
	}
	return w.b
}

func (w *writer) references(some bool) {
	switch {
	case w.version >= 8 && some:
		w.i64(2)
		w.text("recipes", "/home/anna/rye.txt", "rye.txt", "", "Anna", "2024", "Rye rises slowly.")
		w.i32(1)
		w.i32(2)
		w.i32(3)
		w.text("recipes", "/home/anna/b.txt", "b.txt", "Bread", "", "", "")
		w.i32(-1)
		w.i32(-1)
		w.i32(-1)
	case w.version >= 8:
		w.i64(0)
	case w.version >= 3 && some:
		w.text(`1. "Rye". In rye.txt. [Context](context://1)`)
		w.texts("Rye rises slowly.")
	case w.version >= 3:
		w.text("")
		w.texts()
	}
}

func (w *writer) parts(parts []part) {
	w.i64(len(parts))
	for _, p := range parts {
		w.text(p.name, p.value)
		switch p.name {
		case "Think: ":
			w.i32(1800)
		case "ToolCall: ":
			w.text("javascript_interpret")
			w.i64(2)
			w.text("code")
			w.i32(0)
			w.u32(10)
			w.flag(false)
			w.text("1+1")
			w.text("times")
			w.i32(2)
			w.u32(2)
			w.flag(false)
			w.i32(-7)
			w.text("2")
			w.i32(0)
			w.text("")
		}
		w.parts(p.subs)
	}
}
