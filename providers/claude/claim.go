package claude

import (
	"cmp"
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// joined is what the members say together. It is immutable after the claim.
type joined struct {
	wrapped  map[int]bool // members whose conversations stand in an object
	listed   map[int]bool // members that are a list
	account  string       // of users.json, when there is only one
	accounts bool         // there are several
	manifest *manifest    // nil without one
	missing  []string     // what the manifest lists and the drop has not
}

func joinedOf(u importer.Unit) *joined {
	if j, ok := u.Context.(*joined); ok {
		return j
	}
	return &joined{}
}

// onlyAccount is the account of the export when there is just one.
func (j *joined) onlyAccount() string {
	if j.accounts {
		return ""
	}
	return j.account
}

// claimMembers recognizes conversations, projects, memories, the account and artifacts by their
// content, wherever they lie and whatever they are called; then, beside these, what belongs to an
// export without a mark of its own.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	limits = limits.WithDefaults()
	c := importer.Claim{}
	j := &joined{wrapped: map[int]bool{}, listed: map[int]bool{}}
	roles := make([]string, len(members))
	looks := make([]look, len(members))
	artifacts := map[string]bool{}
	company := false
	for i, m := range members {
		if isBinary(m.Name) {
			continue
		}
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		looks[i] = look{unread: err != nil, json: s.Top == '[' || s.Top == '{', empty: s.Empty}
		if err != nil && s.Empty {
			continue
		}
		if reason := lookalike(s); reason != "" {
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: reason})
			continue
		}
		roles[i] = roleByContent(s)
		company = company || roles[i] != ""
		switch roles[i] {
		case roleArtifact:
			artifacts[path.Dir(m.Name)] = true
		case roleAccount:
			prefix, err := peek.Prefix(ctx, m)
			if ctx.Err() != nil {
				return c, ctx.Err()
			}
			if err == nil { // else its unit says what is wrong
				j.readAccount(prefix)
			}
		case roleManifest:
			if err := j.list(ctx, m, limits); err != nil {
				return c, err
			}
		}
		if s.Top == '[' || s.Lines {
			j.listed[m.Index] = true
		}
		if roles[i] == roleChats && isWrapped(s) {
			j.wrapped[m.Index] = true
		}
	}
	if !company {
		return c, nil
	}
	for i, m := range members {
		if roles[i] == "" {
			if looks[i].unread || !looks[i].json && !looks[i].empty {
				roles[i] = ownNames[strings.ToLower(path.Base(m.Name))]
			}
		}
		if roles[i] == "" && !looks[i].unread {
			if roles[i] = roleByName(m.Name, looks[i]); isPage(m.Name, artifacts) {
				roles[i] = rolePageAsset
			}
		}
		if roles[i] == "" {
			continue
		}
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roles[i]})
	}
	j.compare(c.Members)
	c.Context = j
	return c, nil
}

// look is what is remembered of the shape of a member.
type look struct{ unread, json, empty bool }

// isBinary tells files whose names say that they are no JSON; their first bytes are not worth
// reading. Pages of artifacts are recognized by their folder.
func isBinary(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp3", ".wav", ".mp4", ".mov", ".pdf", ".docx", ".xlsx", ".pptx", ".html", ".htm":
		return true
	}
	return false
}

// readAccount remembers whose export this is. The file is small; of one that is not whole nothing
// is remembered.
func (j *joined) readAccount(prefix []byte) {
	d, err := jsonscan.Parse(prefix, 0)
	if err != nil {
		return
	}
	add := func(n jsonscan.Node) {
		id := n.Get("uuid").Str()
		j.accounts = j.accounts || id != "" && j.account != "" && id != j.account
		j.account = cmp.Or(j.account, id)
	}
	if d.Root().Kind() == jsonscan.Object {
		add(d.Root())
	}
	for n := range d.Root().Items() {
		add(n)
	}
}
