package browsertest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// DropFile drops a file on the element that a selector names, as a person does with the mouse.
func (t *Tab) DropFile(selector, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name, err := json.Marshal(filepath.Base(path))
	if err != nil {
		return err
	}
	return t.Eval(fmt.Sprintf(`(() => {
		const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0)), data = new DataTransfer();
		data.items.add(new File([bytes], %s));
		const target = document.querySelector(%q);
		for (const type of ["dragenter", "dragover", "drop"]) target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
	})()`, base64.StdEncoding.EncodeToString(raw), name, selector), nil)
}

// Click clicks the element that a selector names.
func (t *Tab) Click(selector string) error {
	return t.Eval(fmt.Sprintf("document.querySelector(%q).click()", selector), nil)
}

// Violation is a rule of accessibility that a page breaks, and the elements that break it.
type Violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML string `json:"html"`
	} `json:"nodes"`
}

// CheckAccess runs axe-core, whose source is given, in the page.
func (t *Tab) CheckAccess(axe string) (found []Violation, err error) {
	if err := t.Eval(axe+"\n;true", nil); err != nil {
		return nil, err
	}
	return found, t.Eval(`axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((v) => ({ id: v.id, help: v.help, nodes: v.nodes.map((n) => ({ html: n.html })) })))`, &found)
}
