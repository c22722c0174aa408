package chatgpt

import (
	"context"
	"encoding/binary"
	"errors"
	"path"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// An export holds its conversations twice: in JSON files and in chat.html. The JSON files are the
// source. A conversation of the page is read where the JSON files lack it: because a file breaks
// off, is damaged or was not dropped. A conversation is not lacking when the JSON files beside the
// page hold it, or other JSON files of the drop hold it in the same state or a newer one.
//
// The ids of both sides are sorted outside of memory, so that the page is read a second time only
// if something is lacking.

// twinBudget is how many bytes of ids are held in memory.
const twinBudget = 8 << 20

// maxHeldFaults bounds the faults of the JSON files that wait for the pages to be read.
const maxHeldFaults = 64

// twins compares the JSON files of a drop with the pages beside them. A nil *twins watches nothing.
type twins struct {
	ctx     context.Context
	claim   importer.Claim
	limits  importer.Limits
	yield   func(importer.Unit, error) bool
	sorter  *extsort.Sorter
	folders map[place]uint64
	faults  int             // elements and files of the JSON side that cannot be read
	held    []importer.Unit // the first of the faults that could not be cut out
	doc     jsonscan.Doc
}

// place is a folder of a part of the drop.
type place struct {
	part   int
	folder string
}

// newTwins returns nil when no page lies beside JSON files, or when this version does not read one.
func (imp Importer) newTwins(ctx context.Context, c importer.Claim, limits importer.Limits, yield func(importer.Unit, error) bool) *twins {
	if imp.unpaired {
		return nil
	}
	for _, m := range c.Members {
		if m.Role == roleTwin {
			return &twins{ctx: ctx, claim: c, limits: limits, yield: yield, sorter: extsort.New(limits.Scratch, twinBudget), folders: map[place]uint64{}}
		}
	}
	return nil
}

// close removes the scratch file.
func (t *twins) close() {
	if t != nil {
		_ = t.sorter.Close() // nothing of it is needed any more
	}
}

// watch returns a yield that notes the conversations of a JSON file as they pass.
func (t *twins) watch(yield func(importer.Unit, error) bool) func(importer.Unit, error) bool {
	if t == nil {
		return yield
	}
	return func(u importer.Unit, err error) bool {
		switch {
		case err != nil || u.Role == roleReport:
		case u.Err != nil:
			t.faults++
			if len(t.held) < maxHeldFaults {
				t.held = append(t.held, u)
				return true
			}
		default:
			id, updated, ok := t.identify(u.Raw)
			if !ok {
				t.faults++
				break
			}
			if err := t.note(id, sideJSON, u, updated, 0); err != nil {
				return yield(importer.Unit{}, err)
			}
		}
		return yield(u, err)
	}
}

// identify returns the id of a conversation and its update time. ok is false for an element that
// Decode quarantines.
func (t *twins) identify(raw []byte) (id string, updated normalize.Instant, ok bool) {
	if err := t.doc.Parse(raw, t.limits.MaxDepth); err != nil {
		return "", normalize.Epoch, false
	}
	root := t.doc.Root()
	if code, _ := verdict(root); code != "" {
		return "", normalize.Epoch, false
	}
	f := readFields(root)
	id, _ = providerID(f, root)
	updated, _ = lossless.ReadTime(f.update)
	return id, updated, true
}

// The sides of a pair. The JSON side sorts first.
const (
	sideJSON = 0
	sidePage = 1
)

// noteLen is the length of the value of a note.
const noteLen = 1 + 8 + 8 + 4 + 8 + 8

// note records that a conversation stands in a member: its side, folder, update time, the place of
// the member in the claim, and the index of the element.
func (t *twins) note(id string, side byte, u importer.Unit, updated normalize.Instant, member int) error {
	value := make([]byte, noteLen)
	value[0] = side
	binary.BigEndian.PutUint64(value[1:], t.folder(u.Member))
	binary.BigEndian.PutUint64(value[9:], uint64(updated.Sec))
	binary.BigEndian.PutUint32(value[17:], uint32(updated.Micro))
	binary.BigEndian.PutUint64(value[21:], uint64(member))
	binary.BigEndian.PutUint64(value[29:], uint64(u.Index))
	return t.sorter.Add([]byte(id), value)
}

// folder numbers the folder of a member.
func (t *twins) folder(m archive.Member) uint64 {
	at := place{m.Part, path.Dir(m.Name)}
	n, known := t.folders[at]
	if !known {
		n = uint64(len(t.folders))
		t.folders[at] = n
	}
	return n
}

// twinNote is a note that was read back.
type twinNote struct {
	side    byte
	folder  uint64
	updated normalize.Instant
	member  int
	index   int
}

var errBadNote = errors.New("compare chat.html with the JSON files: a note came back damaged")

func readNote(v []byte) (n twinNote, err error) {
	if len(v) != noteLen {
		return n, errBadNote
	}
	n.side, n.folder = v[0], binary.BigEndian.Uint64(v[1:])
	n.updated = normalize.Instant{Sec: int64(binary.BigEndian.Uint64(v[9:])), Micro: int32(binary.BigEndian.Uint32(v[17:]))}
	n.member, n.index = int(binary.BigEndian.Uint64(v[21:])), int(binary.BigEndian.Uint64(v[29:]))
	return n, nil
}

// lacking calls report for each conversation of a page, with whether the JSON files lack it.
func (t *twins) lacking(report func(n twinNote, lacks bool)) error {
	var id []byte
	folders := map[uint64]bool{} // those whose JSON files hold the conversation
	newest, held := normalize.Epoch, false
	for rec, err := range t.sorter.Sorted() {
		if err != nil {
			return err
		}
		n, err := readNote(rec.Value)
		if err != nil {
			return err
		}
		if id == nil || string(id) != string(rec.Key) {
			id = append(id[:0], rec.Key...)
			if id == nil {
				id = []byte{}
			}
			clear(folders)
			newest, held = normalize.Epoch, false
		}
		if n.side == sideJSON {
			folders[n.folder] = true
			if !held || n.updated.Compare(newest) > 0 {
				newest, held = n.updated, true
			}
			continue
		}
		report(n, !folders[n.folder] && (!held || n.updated.Compare(newest) > 0))
	}
	return nil
}
