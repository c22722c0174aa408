package validate

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// emptyRef reports a reference that is an empty text: absent or null means that there is none. In
// arrays the schema refuses it.
func (e *element) emptyRef(n jsonscan.Node, pointer string) {
	if e.wrong(referenceEmpty, n.Is("")) {
		e.find(referenceEmpty, e.at(pointer, n), "the reference is an empty text, which names nothing; leave it out")
	}
}

// namedFile is a ref of a message that leads to a file of the bundle.
type namedFile struct {
	ref string
	at  place
}

// fileRefs gives the refs of a message's attachments and parts that are paths inside of the bundle,
// and reports those that lead out of it. The format also allows URLs and names in a provider's
// storage, which are passed over.
func (e *element) fileRefs() (found []namedFile) {
	for _, list := range []struct {
		items  jsonscan.Node
		suffix string
	}{{e.root.Get("attachments"), "/attachments/"}, {e.root.Get("content").Get("parts"), "/content/parts/"}} {
		i := 0
		for item := range list.items.Items() {
			n := item.Get("ref")
			pointer := list.suffix + strconv.Itoa(i) + "/ref"
			i++
			e.emptyRef(n, pointer)
			ref, ok := text(n)
			if !ok || ref == "" || hasScheme(ref) && !hasDrive(ref) {
				continue
			}
			if e.wrong(attachmentEscape, leadsOut(ref)) {
				e.find(attachmentEscape, e.at(pointer, n), "%s is not a path inside of the bundle; write one relative to the store, like assets/<file>", quote(ref))
				continue
			}
			if strings.Contains(ref, "/") {
				found = append(found, namedFile{ref, e.at(pointer, n)})
			}
		}
	}
	return found
}

// leadsOut tells whether a path is absolute, climbs, or is one of another system.
func leadsOut(ref string) bool {
	return strings.HasPrefix(ref, "/") || strings.ContainsAny(ref, "\\\x00") || hasDrive(ref) || slices.Contains(strings.Split(ref, "/"), "..")
}

// hasScheme tells whether a ref is a URI, such as https://… or data:….
func hasScheme(ref string) bool {
	scheme, _, ok := strings.Cut(ref, ":")
	return ok && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.") == ""
}

// namedFiles notes the files of the bundle that a message names. Those below assets/ are held
// against the folder when it is listed, all others are looked for at once.
func (d *document) namedFiles(e *element) error {
	for _, f := range e.fileRefs() {
		switch {
		case d.assets == nil:
		case strings.HasPrefix(f.ref, assetsFolder+"/"):
			if err := d.assets.add(f.ref, record{referred}.int(int(f.at.offset)).text(f.at.file).text(f.at.pointer)); err != nil {
				return fmt.Errorf("note asset: %w", err)
			}
		default:
			info, err := fs.Stat(d.fsys, path.Clean(f.ref))
			if d.wrong(attachmentMissing, err != nil || !info.Mode().IsRegular()) {
				d.missingFile(attachmentMissing, f.at, path.Clean(f.ref), "the ref looks like a path, and the file %s is not in the bundle")
			}
		}
	}
	return nil
}

// missingFile reports a file that the bundle does not have. A delta may leave it to its base.
func (c *checker) missingFile(k check, at place, file, format string) {
	if !c.incremental {
		c.find(k, at, format, quote(file))
		return
	}
	if c.o.Base == nil {
		c.wrong(xrefExternal, true)
		c.find(xrefExternal, at, format+"; it may be in the base of this incremental export, give that one to be sure", quote(file))
		return
	}
	if c.o.Base.File == "" {
		if b, err := pamio.NewBundle(c.o.Base.FS); err == nil {
			if info, err := fs.Stat(b.FS(), file); err == nil && info.Mode().IsRegular() {
				return
			}
		}
		c.find(k, at, format, quote(file))
	}
}

// citations passes the cited messages on to the conversation files that have them.
func (d *document) citations() error {
	file := ""
	for r, err := range d.joins.tables[citedTable].rows() {
		if err != nil {
			return fmt.Errorf("read cited messages: %w", err)
		}
		if r.first {
			file = ""
		}
		if r.byte() == defined {
			file = r.text()
			continue
		}
		if file == "" {
			continue
		}
		if err := d.joins.tables[fileTable].add(file, record{listed}.int(r.int()).text(r.text())); err != nil {
			return fmt.Errorf("note cited message: %w", err)
		}
	}
	return nil
}

// citation is a message that a memory names.
type citation struct {
	memory  int
	message string
}

// holdCitations reports cited messages that a conversation does not have.
func (c *checker) holdCitations(storeFile, file string, cited []citation, g *graph) {
	if g != nil && g.blind {
		return
	}
	for _, one := range cited {
		there := false
		if g != nil {
			_, there = g.at[one.message]
		}
		if c.wrong(xrefMessage, !there) {
			c.find(xrefMessage, placeOf(storeFile, "memories", one.memory, "/provenance/message_ref"), "the message %s is not in the file %s",
				quote(one.message), quote(file))
		}
	}
}
