package pam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/pamio/signature"
	"github.com/pamline/pamline/pamio/sums"
	"github.com/pamline/pamline/providers/importer"
)

// joined is what Decode knows of the other members. It grows with the number of conversations and
// files of the bundle, not with their size.
type joined struct {
	stores map[int]*storeFacts // by index of the member
	// positions are the places of conversation files in the index of the store beside them.
	positions map[string]int
	// files are the members beside the documents, by name.
	files map[string]archive.Member
	// settled are the folders with a store: it has the memories of the conversations below.
	settled []string
}

// storeFacts are what the elements of a store need of it.
type storeFacts struct{ exportID, exportDate string }

// claimMembers takes the PAM documents, and the files that lie in the bundles.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	j := &joined{stores: map[int]*storeFacts{}, positions: map[string]int{}, files: map[string]archive.Member{}}
	roots, refused := map[string]bool{}, map[int]*importer.RefusedError{}
	sound, spoiled := map[string]bool{}, map[string]string{} // by root: of the store
	roles := make([]string, len(members))
	for i, m := range members {
		role, err := roleOf(ctx, m, peek)
		if err != nil {
			return c, err
		}
		if roles[i] = role; role == "" {
			continue
		}
		root := rootOf(m, role)
		roots[root] = true
		if role != roleStore {
			continue
		}
		err = j.openStore(ctx, m, limits, &c)
		var bad *importer.RefusedError
		switch {
		case errors.As(err, &bad):
			refused[i], spoiled[root] = bad, m.Name
		case err != nil:
			return c, err
		default:
			sound[root] = true
		}
	}
	for i, m := range members {
		role, root := roles[i], rootOf(m, roles[i])
		if role == "" {
			if role, root = besideRole(m, roots); role == "" {
				continue
			}
		}
		switch store := spoiled[root]; {
		case refused[i] != nil:
			role = importer.RoleRefused
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: refused[i].Reason, Hint: refused[i].Hint})
		case store != "" && !sound[root]:
			role = importer.RoleRefused
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "it belongs to " + store + ", of which nothing is read"})
		case role == importer.RoleAsset:
			j.files[m.Name] = m
		}
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: role})
	}
	c.Context = j
	return c, nil
}

// rootOf is the part and the folder of the bundle that a document belongs to.
func rootOf(m archive.Member, role string) string {
	dir := path.Dir(m.Name)
	if role == roleConversation && path.Base(dir) == pamio.ConversationsFolder {
		dir = path.Dir(dir)
	}
	return fmt.Sprint(m.Part, "/", dir)
}

// besideRole is the role of a member of a bundle that is no document, with the root of the bundle;
// "" for one of no bundle. It may be the list of the digests or its signature: members are verified
// by the archive that they came in, and the store has a signature of its own. Or it lies in a
// folder for files: assets of ours, or attachments of the reference SDK.
func besideRole(m archive.Member, roots map[string]bool) (role, root string) {
	name := path.Base(m.Name)
	if root := rootOf(m, ""); (name == sums.File || name == sums.File+".sig") && roots[root] {
		return roleSums, root
	}
	for dir := path.Dir(m.Name); dir != "."; dir = path.Dir(dir) {
		root := fmt.Sprint(m.Part, "/", path.Dir(dir))
		if base := path.Base(dir); (base == "assets" || base == "attachments") && roots[root] {
			return importer.RoleAsset, root
		}
	}
	return "", ""
}

// roleOf recognizes a member by its schema field; if that does not stand among its first bytes, by
// members that only PAM has.
func roleOf(ctx context.Context, m archive.Member, peek importer.Peeker) (string, error) {
	s, err := peek.Shape(ctx, m)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || s.Top != '{' || s.Lines {
		return "", nil //nolint:nilerr // who cannot be read is described by the detection
	}
	if s.Root["schema"] == '"' {
		head, err := peek.Prefix(ctx, m)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err == nil {
			if role := roles[schemaOf(head)]; role != "" {
				return role, nil
			}
		}
	}
	switch {
	case s.Has("memories[].content_hash") && s.Has("memories[].provenance{"):
		return roleStore, nil
	case s.Has("messages[") && s.Has("provider{") && s.Has("provider.name") && s.Has("temporal{"):
		return roleConversation, nil
	case s.Has("embeddings[].memory_id"):
		return roleEmbeddings, nil
	}
	return "", nil
}

// roles by the schema field.
var roles = map[string]string{
	pamio.StoreSchema: roleStore, pamio.ConversationSchema: roleConversation, pamio.EmbeddingsSchema: roleEmbeddings,
}

// schemaOf gives the value of the first member called schema, "" if there is none.
func schemaOf(head []byte) string {
	_, rest, ok := bytes.Cut(head, []byte(`"schema"`))
	if !ok {
		return ""
	}
	rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
	if !ok {
		return ""
	}
	rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"`))
	if !ok {
		return ""
	}
	value, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(value)
}

// openStore reads what is needed of a store before its elements: its signature, its header and the
// order of its conversations.
func (j *joined) openStore(ctx context.Context, m archive.Member, limits importer.Limits, c *importer.Claim) error {
	res, s, err := signature.CheckStore(pamio.Source{
		Name: m.Name, Open: func() (io.ReadCloser, error) { return m.Open(ctx) },
	}, pamio.Limits{MaxElement: limits.WithDefaults().MaxConversation, Scratch: limits.Scratch})
	if err != nil && s == nil { // the memories have no checksum; the rest may still be readable
		s = header(ctx, m, limits)
		res = signature.Result{Verdict: signature.Invalid, Problems: []signature.Problem{{Code: signature.BadChecksum, Message: err.Error()}}}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s == nil: // the elements that can be cut out are read
		c.Notes = append(c.Notes, fmt.Sprintf("%s: the store cannot be read to its end, so its signature was not verified: %v", m.Name, err))
		j.stores[m.Index] = &storeFacts{}
		j.settled = append(j.settled, path.Dir(m.Name))
		return nil
	case s.Signature != nil && res.Verdict == signature.Invalid && !limits.AnySignature:
		return &importer.RefusedError{
			Reason: fmt.Sprintf("read %s: its signature is %s: %s", m.Name, res.Verdict, problems(res.Problems)),
			Hint:   "ask the sender for an intact copy, or import it without trust: pamline import --any-signature FILE",
		}
	}
	c.Signatures = append(c.Signatures, verdictOf(m.Name, s.Signature != nil, res))
	facts := &storeFacts{exportID: s.ExportID, exportDate: outputTime(s.ExportDate)}
	j.stores[m.Index] = facts
	j.settled = append(j.settled, path.Dir(m.Name))
	if s.ExportID != "" {
		c.Exports = append(c.Exports, s.ExportID)
	}
	if s.ExportType == "incremental" {
		if s.BaseExportID == "" {
			return &importer.RefusedError{
				Reason: fmt.Sprintf("read %s: it is an incremental export that does not name its base", m.Name),
				Hint:   "import a full export, or merge the two first: pamline merge -o OUT BASE DELTA",
			}
		}
		c.Bases = append(c.Bases, s.BaseExportID)
	}
	return j.orderConversations(ctx, m)
}

// header gives the members of a store around its collections; nil if it cannot be read to its end.
func header(ctx context.Context, m archive.Member, limits importer.Limits) (s *pamio.Scalars) {
	r, err := m.Open(ctx)
	if err != nil {
		return nil
	}
	defer r.Close() //nolint:errcheck // only read
	err = pamio.ReadStore(r, pamio.Visitor{
		MaxValue: limits.WithDefaults().MaxConversation,
		Scalars:  func(all *pamio.Scalars) error { s = all; return nil },
	})
	if err != nil {
		return nil
	}
	return s
}

// verdictOf words the verdict on a store. A malformed signature is as good as none: whoever could
// break it could have removed it.
func verdictOf(name string, signed bool, res signature.Result) importer.Signature {
	v := importer.Signature{Member: name}
	switch {
	case !signed:
		v.Verdict = "absent"
	case res.Verdict == signature.Trusted:
		v.Verdict = "valid"
	case res.Verdict == signature.SelfAsserted:
		v.Verdict = "self-asserted"
	case res.Verdict == signature.Malformed:
		v.Verdict, v.Reason = "malformed", "read as if it were not signed: "+problems(res.Problems)
	default:
		v.Verdict, v.Reason = "invalid", "accepted because it was asked for: "+problems(res.Problems)
	}
	return v
}

func problems(all []signature.Problem) string {
	var words []string
	for _, p := range all {
		if !p.Warns() {
			words = append(words, p.Message)
		}
	}
	return strings.Join(words, "; ")
}

// orderConversations notes the places of the conversation files in the index.
func (j *joined) orderConversations(ctx context.Context, m archive.Member) error {
	r, err := m.Open(ctx)
	if err != nil {
		return nil //nolint:nilerr // who cannot be opened is reported when it is split
	}
	defer r.Close() //nolint:errcheck // only read
	n := 0
	err = pamio.ReadStore(r, pamio.Visitor{IndexEntry: func(e pamio.Element) error {
		n++
		d, err := jsonscan.Parse(e.Raw, 0)
		if err != nil {
			return nil //nolint:nilerr // the element is quarantined when it is decoded
		}
		if ref := d.Root().Get("storage").Get("ref").Str(); ref != "" {
			j.positions[path.Join(path.Dir(m.Name), ref)] = n
		}
		return nil
	}})
	if err != nil && ctx.Err() == nil {
		return nil // the same is met when the member is split
	}
	return ctx.Err()
}
