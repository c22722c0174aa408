package chatgpt

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// implied tells the slots from what they left behind.
func implied(slots []slot, residual jsonscan.Node) []slot {
	switch {
	case residual.Kind() == jsonscan.String && residual.Is(""):
		return append(slots, slot{path: "", kind: "text"})
	case residual.Kind() != jsonscan.Object:
		return slots
	}
	ct := contentType(residual)
	missing := func(n jsonscan.Node, field string) bool {
		head, last, nested := strings.Cut(field, "/")
		if nested {
			n = n.Get(head)
			head = last
		}
		return n.Kind() == jsonscan.Object && !n.Get(head).Exists()
	}
	for _, f := range textFields[ct] {
		if missing(residual, f) {
			slots = append(slots, slot{path: "/" + f, kind: textKind(ct)})
		}
	}
	for _, p := range pointers[ct] {
		if missing(residual, p.field) {
			slots = append(slots, slot{path: "/" + p.field, kind: p.kind})
		}
	}
	i := -1
	for th := range residual.Get("thoughts").Items() {
		i++
		if ct != "thoughts" {
			break
		}
		for _, f := range []string{"summary", "content"} {
			if missing(th, f) {
				slots = append(slots, slot{path: "/thoughts/" + strconv.Itoa(i) + "/" + f, kind: "text"})
			}
		}
	}
	i = -1
	for p := range residual.Get("parts").Items() {
		i++
		if p.Is("") {
			slots = append(slots, slot{path: partPath(i), kind: "text"})
			continue
		}
		kinds := pointers[p.Get("content_type").Str()]
		for _, k := range kinds {
			if missing(p, k.field) {
				slots = append(slots, slot{path: partPath(i) + "/" + k.field, kind: k.kind})
			}
		}
		if len(kinds) == 0 && missing(p, "text") && p.Get("content_type").Is("audio_transcription") {
			slots = append(slots, slot{path: partPath(i) + "/text", kind: "text"})
		}
	}
	return slots
}

// kindOf is the part type of an explicit slot path: file pointers end in asset_pointer.
func kindOf(path string) string {
	if strings.HasSuffix(path, "asset_pointer") {
		return "file"
	}
	return "text"
}

// samePaths tells whether two lists of slots are the same places.
func samePaths(a, b []slot) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].path != b[i].path {
			return false
		}
	}
	return true
}

// appendTextFrom writes the explicit list of slots.
func appendTextFrom(dst []byte, slots []slot) []byte {
	dst = append(dst, '[')
	for i, s := range slots {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = pamio.AppendString(dst, s.path)
	}
	return append(dst, ']')
}
