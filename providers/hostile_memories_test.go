package providers_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importertest"
)

// inserted are members that spoil the object that they stand in, or cost more than it is worth.
var inserted = map[string]string{
	"a number that is none":          `"x":NaN,`,
	"a number beyond all":            `"x":1e999999,`,
	"a key twice":                    `"x":1,"x":2,`,
	"bytes that are no text":         "\"x\":\"\xff\xfe\",",
	"half of a pair":                 `"x":"\ud800",`,
	"a control character":            "\"x\":\"a\x00b\",",
	"nesting":                        `"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + ",",
	"nesting that does not end":      `"x":` + strings.Repeat(`{"a":`, 20_000),
	"a key of a megabyte":            `"` + strings.Repeat("k", 1<<20) + `":1,`,
	"a member for each of the words": strings.Repeat(`"x":[],`, 2) + strings.Repeat(`"memories":7,`, 2),
	"no comma":                       `"x":1 `,
}

// hostile are the variants of a file.
func hostile(text string) map[string]string {
	variants := map[string]string{
		"cut in the middle": text[:len(text)/2], "cut behind the first byte": text[:1], "cut before the last": strings.TrimSpace(text)[:len(strings.TrimSpace(text))-1],
		"twice": text + text, "more behind it": text + "}{", "behind a byte order mark of UTF-16": "\xff\xfe" + text,
		"times from nowhere": strings.ReplaceAll(text, "2026-0", "9999-9"), "zeros in place of its end": text[:len(text)/2] + strings.Repeat("\x00", len(text)/2),
	}
	for name, member := range inserted {
		for where, brace := range map[string]int{"first": strings.Index(text, "{"), "last": strings.LastIndex(text, "{")} {
			if brace >= 0 {
				variants[name+" in the "+where+" object"] = text[:brace+1] + member + text[brace+1:]
			}
		}
	}
	return variants
}

// TestHostileMemoryFilesHurtNothingElse: whatever is wrong with a file of memories, somebody says
// what became of it, and the export beside it is read as if it were alone.
func TestHostileMemoryFilesHurtNothingElse(t *testing.T) {
	t.Parallel()
	beside := importertest.Load(t, "deepseek/testdata/fragments.json")[0]
	beside.Name = "deepseek/conversations.json"
	alone := drop(t, "alone", "", beside)
	if alone.conversations == 0 || alone.quarantined > 0 {
		t.Fatal(alone)
	}
	files, err := filepath.Glob("memstores/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, "mif/testdata/document.mif.json", "claude/testdata/memories-list.json") {
		if strings.HasSuffix(path, ".golden") {
			continue
		}
		whole := importertest.Load(t, path)[0]
		if r := drop(t, path, "", whole); r.records == 0 || r.quarantined > 0 {
			t.Fatal(r)
		}
		for name, text := range hostile(string(whole.Data)) {
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				r := drop(t, name, "", beside, importertest.File{Name: "memories/" + filepath.Base(path), Data: []byte(text)})
				if r.refusal != "" || r.conversations != alone.conversations || r.messages != alone.messages {
					t.Errorf("the export beside it: %s", r)
				}
				if said := r.records + r.quarantined + r.unclaimed + r.skips; said <= alone.records+alone.skips {
					t.Errorf("nothing tells what became of it: %s", r)
				}
			})
		}
	}
}
