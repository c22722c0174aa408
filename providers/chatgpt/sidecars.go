package chatgpt

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// joined is what the sidecars of one archive add to its conversations. It does not change after
// Claim.
type joined struct {
	old           bool // for the version of July 2026
	accounts      []account
	feedback      map[string][]record // by conversation id
	shared        map[string][]byte   // by conversation id: comma-joined JSON objects
	links         map[string][]record // the same, one by one
	loose         []record            // feedback that names no conversation
	profiles      map[int]importer.Record
	files         assets
	notes         map[int]note // by member index
	wrapped       map[int]bool // by member index: the conversations lie in a wrapper object
	conversations int          // members with conversations
	assets        int
	manifest      archive.Member
	listed        []listed // what the manifest lists
	missing       []string // what of it the archive does not have, or not whole

	spokenOf func() map[string]bool // the ids of the documents of which feedback and shared speak
}

// listed is a file that the manifest names; size is -1 where it does not say.
type listed struct {
	path string
	size int64
}

// record is one joined object and the id in it.
type record struct {
	id     string
	text   []byte
	member archive.Member
	at     int // index in its list
}

// note says what became of a sidecar that is not joined as a whole.
type note struct {
	code, reason string
	count        int
}

func newJoined() *joined {
	j := &joined{feedback: map[string][]record{}, shared: map[string][]byte{}, links: map[string][]record{}, profiles: map[int]importer.Record{}, notes: map[int]note{}, wrapped: map[int]bool{}}
	j.spokenOf = sync.OnceValue(j.findSpokenOf)
	return j
}

// sidecarKind recognizes the sidecars that are joined, by their content; empty ones go by name and
// need no join.
func sidecarKind(base string, s importer.Shape) string {
	first := s.Root
	if len(s.Objects) > 0 {
		first = s.Objects[0]
	}
	all := func(keys ...string) bool {
		for _, k := range keys {
			if _, ok := first[k]; !ok {
				return false
			}
		}
		return true
	}
	switch {
	case s.Empty:
		return ""
	case s.Top == '[' && all("conversation_id", "rating"):
		return "feedback"
	case s.Top == '[' && all("conversation_id", "is_anonymous"):
		return "shared"
	case s.Top == '{' && all("export_files") && base != "user.json":
		return "manifest"
	case s.Top == '{' && len(s.Objects) == 0 && all("id") && (all("email") || all("chatgpt_plus_user") || base == "user.json"):
		return "user"
	case s.Top == '[' && all("file_id", "file_name"), base == "library_files.json":
		return "library"
	case base == "conversation_asset_file_names.json":
		return "names"
	}
	return ""
}

// read joins one sidecar. What cannot be joined becomes a note; only a cancelled context is an
// error.
func (j *joined) read(ctx context.Context, m archive.Member, kind string, s importer.Shape, limits importer.Limits) error {
	base := strings.ToLower(path.Base(m.Name))
	if s.Empty {
		return nil
	}
	if kind == "" {
		reason := sidecarNames[base]
		if !j.old && base == "codex.json" {
			reason = "the form of this file is not known"
		}
		if reason == "" {
			reason = "the form of this file is not known"
		}
		j.notes[m.Index] = note{"sidecar-not-imported", reason, 1}
		return nil
	}
	data, err := readSidecar(ctx, m, limits.MaxSidecar)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		j.notes[m.Index] = note{"sidecar-unreadable", err.Error(), 1}
		return nil
	}
	if data == nil {
		j.notes[m.Index] = note{"sidecar-too-big", fmt.Sprintf("the file is larger than the limit of %d bytes; raise limits.sidecar to join it", limits.MaxSidecar), 1}
		return nil
	}
	doc, err := jsonscan.Parse(data, limits.MaxDepth)
	if err != nil {
		j.notes[m.Index] = note{"sidecar-unreadable", err.Error(), 1}
		return nil
	}
	j.join(m, kind, doc.Root())
	return nil
}

func (j *joined) join(m archive.Member, kind string, root jsonscan.Node) {
	switch kind {
	case "user":
		// Only the account's id: address and telephone number have no place in a conversation.
		if id := root.Get("id"); id.Kind() == jsonscan.String && !id.Odd() && !id.Is("") {
			j.accounts = append(j.accounts, account{m.Part, path.Dir(m.Name), id.Str()})
		}
		kept := 1
		if !j.old {
			kept = j.profile(m, root)
		}
		if n := root.Len() - kept; n > 0 {
			j.notes[m.Index] = note{"personal-data-not-imported", "of the account only its id is kept", n}
			if !j.old {
				j.notes[m.Index] = note{"personal-data-not-imported", "of the account only its id and its plan are kept", n}
			}
		}
	case "feedback", "shared":
		unjoined, at := 0, -1
		for v := range root.Items() {
			at++
			conv := v.Get("conversation_id")
			if conv.Kind() != jsonscan.String || v.Odd() {
				if !j.old && v.Kind() == jsonscan.Object {
					text, _ := normalize.Clean(v)
					j.loose = append(j.loose, record{kind, text, m, at})
					continue
				}
				unjoined++
				continue
			}
			text := v.AppendCompact(nil)
			if kind == "feedback" {
				j.feedback[conv.Str()] = append(j.feedback[conv.Str()], record{v.Get("id").Str(), text, m, at})
				continue
			}
			j.links[conv.Str()] = append(j.links[conv.Str()], record{v.Get("id").Str(), text, m, at})
			list := j.shared[conv.Str()]
			if len(list) > 0 {
				list = append(list, ',')
			}
			j.shared[conv.Str()] = append(list, text...)
		}
		if unjoined > 0 {
			j.notes[m.Index] = note{"record-not-joined", "entries that name no conversation", unjoined}
		}
	case "library", "names":
		if !j.old {
			j.files.table(kind, root)
			return
		}
		if n := root.Len(); n > 0 {
			j.notes[m.Index] = note{"asset-not-imported", "the files that this list names are not imported", n}
		}
	case "manifest":
		j.manifest = m
		for v := range root.Get("export_files").Items() {
			if p := v.Get("path"); p.Kind() == jsonscan.String {
				f := listed{p.Str(), -1}
				if n, ok := plainSize(v.Get("size_bytes")); ok {
					f.size = n
				}
				j.listed = append(j.listed, f)
			}
		}
		for _, v := range root.Get("logical_files").Fields() {
			for p := range v.Get("files").Items() {
				if p.Kind() == jsonscan.String {
					j.listed = append(j.listed, listed{p.Str(), -1})
				}
			}
		}
	}
}

// readSidecar reads a member whole; nil when it is larger than the limit.
func readSidecar(ctx context.Context, m archive.Member, limit int64) ([]byte, error) {
	r, err := m.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", m.Name, err)
	}
	defer r.Close() //nolint:errcheck // reading has ended
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.Name, err)
	}
	if int64(len(data)) > limit {
		return nil, nil
	}
	return trimBOM(data), nil
}

func trimBOM(b []byte) []byte {
	if len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF {
		return b[3:]
	}
	return b
}
