package chatgpt

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// Codes of the units that are quarantined.
const (
	codeSyntax    = "syntax"
	codeTruncated = "truncated"
	codeTooBig    = "too_big"
	codeTooDeep   = "too_deep"
	codeNull      = "null_element"
	codeEmpty     = "empty_element"
	codeNotObject = "not_an_object"
	codeStub      = "stub"
	codeForeign   = "not_a_conversation"
	codeUnread    = "unreadable_member"
)

// Decode turns one conversation element into its document, and a sidecar unit into records and the
// account of what was not kept.
func (imp Importer) Decode(u importer.Unit) ([]importer.Item, error) {
	if u.Err != nil {
		return nil, u.Err
	}
	j, _ := u.Context.(*joined)
	if j == nil {
		j = &joined{}
	}
	switch u.Role {
	case roleTwin:
		if account, ok := u.Context.(pageAccount); ok {
			return account.skips(), nil
		}
		if u.Raw == nil {
			return j.skips(u), nil
		}
	case roleSidecar, roleFile, roleReport:
		return j.skips(u), nil
	case roleRecord:
		return keep(u, j)
	case roleTasks:
		return task(u, j)
	case roleUnmatched:
		return leftover(u), nil
	}
	d := decoders.Get().(*decoder)
	defer d.giveBack(len(u.Raw))
	d.old, d.assets, d.part = imp.old, &j.files, u.Member.Part
	snap, err := d.decode(u, j)
	if err != nil {
		return nil, err
	}
	return []importer.Item{{Conversation: snap}}, nil
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// maxKept is the size of an element whose decoder is kept for its memory. That of a large one is
// many times the element.
const maxKept = 4 << 20

// giveBack keeps a decoder for the next element, without the text of the one it read.
func (d *decoder) giveBack(size int) {
	if size > maxKept {
		return
	}
	d.doc.Reset()
	decoders.Put(d)
}

// decoder reads one element at a time; its memory is used again.
type decoder struct {
	doc   jsonscan.Doc // the element
	small jsonscan.Doc // a residual that is looked at again
	text  jsonscan.Doc // the text of a tool call, when it is JSON
	taken normalize.Taken
	nodes []node
	graph []normalize.GraphNode
	index map[string]int32
	raw   []byte // the raw_metadata under construction
	slots []slot
	want  []int32
	files []pamio.Attachment // of the parts of the current message

	old       bool    // the version of July 2026
	assets    *assets // files of the archive
	part      int     // of the drop that the element stands in
	repeated  repeated
	times     []instant
	inherited bool // a message has its time from the conversation
	joined    bool // a file of the archive was looked for
	shapes    []shape
	anomalies map[string]int
	loss      normalize.Loss
	newest    normalize.Instant
}

func (d *decoder) decode(u importer.Unit, j *joined) (*importer.Snapshot, error) {
	src := u.Raw
	limits := u.Limits.WithDefaults()
	fail := func(code, reason string, args ...any) *importer.UnitError {
		return &importer.UnitError{
			Member: u.Member.Name, Index: u.Index, Offset: u.Offset, Size: int64(len(u.Raw)),
			Code: code, Reason: fmt.Sprintf(reason, args...),
		}
	}
	if int64(len(src)) > limits.MaxConversation {
		return nil, fail(codeTooBig, "the conversation has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", len(src), limits.MaxConversation)
	}
	quirk := ""
	if u.Role == rolePage || u.Role == roleTwin {
		var changed bool
		if src, changed = unescapePage(src); changed {
			quirk = quirkEntities
		}
	}
	if err := d.doc.Parse(src, limits.MaxDepth); err != nil {
		return nil, parseFailure(err, fail)
	}
	d.anomalies, d.joined = map[string]int{}, false
	if u.Role == roleTwin {
		d.anomalies[anomalyFromPage] = 1
	}
	d.loss = normalize.Loss{}
	d.newest = normalize.Epoch
	var escrow []byte
	if d.doc.Root().Odd() {
		clean, e := normalize.Clean(d.doc.Root())
		escrow = e.Entries
		for code, n := range e.Counts {
			d.anomalies[code] += n
		}
		if err := d.doc.Parse(clean, limits.MaxDepth+1); err != nil {
			return nil, parseFailure(err, fail)
		}
	}
	root := d.doc.Root()
	if code, reason := verdict(root); code != "" {
		return nil, fail(code, "%s", reason)
	}
	doc := d.conversation(root, j, escrow, quirk)
	doc.Provider.AccountID = j.accountOf(u.Member)
	return &importer.Snapshot{
		Doc:       doc,
		Order:     d.order(doc),
		Newest:    d.newestText(),
		Anomalies: d.anomalies,
		Loss:      d.loss,
		Joined:    d.joined,
	}, nil
}

func parseFailure(err error, fail func(code, reason string, args ...any) *importer.UnitError) error {
	var syn *jsonscan.SyntaxError
	if !errors.As(err, &syn) {
		return fmt.Errorf("read conversation: %w", err)
	}
	if errors.Is(err, jsonscan.ErrTooDeep) {
		return fail(codeTooDeep, "the conversation is %s at byte %d of it; raise limits.max_depth to read it", syn.Reason, syn.Offset)
	}
	return fail(codeSyntax, "the conversation is not JSON: %s at byte %d of it", syn.Reason, syn.Offset)
}

// verdict says why an element is no conversation of this provider, if so.
func verdict(root jsonscan.Node) (code, reason string) {
	switch root.Kind() {
	case jsonscan.Null:
		return codeNull, "the element is null"
	case jsonscan.Object:
	default:
		return codeNotObject, "the element is not a JSON object"
	}
	if root.Len() == 0 {
		return codeEmpty, "the element is an empty object"
	}
	if root.Get("mapping").Kind() == jsonscan.Object {
		return "", ""
	}
	if root.Get("uuid").Exists() && root.Get("chat_messages").Exists() {
		return codeForeign, "the element is a Claude conversation inside a ChatGPT file"
	}
	named := root.Get("conversation_id").Kind() == jsonscan.String || root.Get("id").Kind() == jsonscan.String
	if !named {
		return codeForeign, "the element has neither a mapping nor an id"
	}
	for _, key := range []string{"mapping", "current_node", "create_time", "update_time", "chat_messages"} {
		if root.Get(key).Exists() {
			return "", ""
		}
	}
	return codeStub, "the element has an id but no mapping and no time: a stub without content"
}

// order is the fold order of the snapshot: update time, else the newest message's.
func (d *decoder) order(doc *pamio.Conversation) string {
	if t, ok := normalize.ParseInstant(doc.Temporal.UpdatedAt); ok && doc.Temporal.UpdatedAt != "" {
		return t.Six()
	}
	return d.newest.Six()
}

func (d *decoder) newestText() string {
	if d.newest == normalize.Epoch {
		return ""
	}
	return d.newest.Six()
}

func (d *decoder) seen(t normalize.Instant) {
	if t.Compare(d.newest) > 0 {
		d.newest = t
	}
}
