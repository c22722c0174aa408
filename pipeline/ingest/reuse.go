package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/pamline/pamline/extract/frozen"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/known"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

// reuseRules is raised with every change of what ingest makes of a unit that no version of an
// importer or extractor tells of, and no table of extractors.
const reuseRules = 1

// reuseFrom is the size of an archive, in bytes of what importers read, from which elements are
// taken over from earlier imports, and are noted for later ones. Smaller archives cost less than
// looking for earlier ones.
const reuseFrom = 8 << 20

// reuse takes over what earlier imports made of the same elements, and notes elements for later
// imports. A nil reuse does neither.
type reuse struct {
	in      *archiveRun
	reading string
	known   *known.Elements
	taken   atomic.Int64 // elements that were taken over
}

// openReuse finds what earlier imports have read. It is nil if looking for it does not pay.
func openReuse(ctx context.Context, in *archiveRun) *reuse {
	from, isLarge := cmp.Or(in.ReuseFrom, reuseFrom), false
	for _, c := range in.claims {
		hasUnknown := slices.ContainsFunc(c.Claim.Members, func(m providers.ClaimedMember) bool { return m.Member.Size < 0 })
		isLarge = isLarge || isRepeatable(c.Importer) && (hasUnknown || in.total >= from)
	}
	if from < 0 || !isLarge {
		return nil
	}
	tables, err := frozen.Digest()
	if err != nil {
		in.Log.Warn("the tables of the extractors cannot be read; all elements are decoded", zap.Error(err))
		return nil
	}
	l := in.Limits.Units()
	s := fmt.Sprintf("pamline-known/%d %d\n%s\n%s\n%d %d %d %t\n", reuseRules, readingRules, strings.Join(in.m.Extractors, ","), tables,
		l.MaxConversation, l.MaxDepth, l.MaxSidecar, l.AnySignature)
	r := &reuse{in: in, reading: objects.Digest(s)[:16]}
	r.known = known.Reader{Store: in.Store, Owner: in.m.Owner, Reading: r.reading, Log: in.Log}.Open(ctx)
	return r
}

func isRepeatable(imp providers.Importer) bool {
	_, ok := imp.(providers.Repeatable)
	return ok
}

// report logs how many elements were taken over.
func (r *reuse) report() {
	if r == nil || r.taken.Load() == 0 {
		return
	}
	r.in.Log.Info("elements of earlier imports were taken over", zap.String("owner", r.in.m.Owner), zap.String("import", r.in.m.Import), zap.Int64("elements", r.taken.Load()))
}

// digestElement is the SHA-256 of an element that may be known, or may be noted; "" for others.
func (r *reuse) digestElement(j *element) string {
	u := &j.unit
	if r == nil || u.Err != nil || len(u.Raw) == 0 || u.Parts > 0 || !isRepeatable(j.imp) {
		return ""
	}
	sum := sha256.Sum256(u.Raw)
	return hex.EncodeToString(sum[:])
}

// besideOf names what else a unit's conversation is made of.
func besideOf(j *element, conversation string) (string, bool) {
	u := j.unit
	u.Raw = nil
	imp, ok := j.imp.(providers.Repeatable)
	if !ok {
		return "", false
	}
	return imp.Beside(u, conversation)
}

// noteElement notes what became of an element, for later imports. Documents that depend on more of
// the archive, and those of other PAM stores, are not noted.
func (p *packed) noteElement(j *element, digest string, s *providers.Snapshot) {
	if digest == "" || s.Joined || s.Settled || s.Import != nil || len(s.Assets) > 0 {
		return
	}
	if beside, ok := besideOf(j, p.line.Conversation); ok {
		p.noteAs(digest, beside)
	}
}

func (p *packed) noteAs(digest, beside string) {
	p.known = &known.Element{Digest: digest, Beside: beside, Newest: p.newest, Anomalies: p.anomalies, Loss: p.loss, Unread: p.unread}
	p.known.SetFindings(p.found)
}

// takeElement gives the outcome of an element that an earlier import has read: what decoding it
// would come to.
func (r *reuse) takeElement(ctx context.Context, j *element, digest string) (out decoded, ok bool) {
	if digest == "" {
		return out, false
	}
	d, ok := r.known.Find(ctx, digest, j.imp.Version())
	if !ok {
		return out, false
	}
	in, line := r.in, d.Line
	if beside, ok := besideOf(j, line.Conversation); !ok || beside != d.Beside {
		return out, false
	}
	if !in.erased.IsEmpty() && in.erased.HasConversation(line.Conversation, line.CreatedAt) {
		return decoded{skips: []providers.Skip{{Code: ledger.CodeErased, Reason: ledger.ReasonErased, Count: 1}}}, true
	}
	line.Source, line.Position, line.Offset = in.source[j.unit.Member.Index], int64(j.unit.Index), 0
	p := packed{line: line, frame: slices.Clone(d.Frame), newest: d.Newest, anomalies: d.Anomalies, loss: d.Loss}
	if p.found, p.unread, ok = r.findingsIn(&d, line); !ok {
		return out, false
	}
	p.noteAs(digest, d.Beside)
	r.taken.Add(1)
	return decoded{packed: []packed{p}}, true
}

// findingsIn gives the findings in a document as extractEarly does. Those that are not known are
// looked for in the document.
func (r *reuse) findingsIn(d *known.Document, line state.SnapshotLine) (found state.Findings, unread, ok bool) {
	switch {
	case r.in.find == nil, line.Size > earlyDocument && line.Wanted:
		return found, true, true
	case !line.Wanted:
		return found, false, true
	case !d.Unread:
		return d.Findings(), false, true
	}
	doc, err := state.UnpackFrame(nil, d.Frame, line.Size)
	if err != nil {
		return found, false, false
	}
	conversation, err := pamio.ParseConversation(doc)
	if err != nil {
		return found, false, false
	}
	found, unread = r.in.extractEarly(conversation, doc, line)
	return found, unread, true
}
