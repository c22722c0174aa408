package claude

import (
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
	accounts []string     // of users.json, each once
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
	if len(j.accounts) == 1 {
		return j.accounts[0]
	}
	return ""
}

// Claim recognises conversations, projects, memories, the account and artifacts by their content, wherever they lie and
// whatever they are called; then, beside these, what belongs to an export without a mark of its own.
func (Importer) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	limits = limits.WithDefaults()
	c := importer.Claim{}
	j := &joined{wrapped: map[int]bool{}, listed: map[int]bool{}}
	roles := make([]string, len(members))
	shapes := make([]importer.Shape, len(members))
	unread := make([]bool, len(members))
	artifacts := map[string]bool{}
	company := false
	for i, m := range members {
		if isBinary(m.Name) {
			continue
		}
		prefix, err := peek(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if unread[i] = err != nil; unread[i] {
			continue
		}
		shapes[i] = importer.Sniff(prefix)
		if reason := lookalike(shapes[i]); reason != "" {
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: reason})
			continue
		}
		roles[i] = roleByContent(shapes[i])
		company = company || roles[i] != ""
		switch roles[i] {
		case roleArtifact:
			artifacts[path.Dir(m.Name)] = true
		case roleAccount:
			j.account(prefix)
		case roleManifest:
			if err := j.list(ctx, m, limits); err != nil {
				return c, err
			}
		}
	}
	if !company {
		return c, nil
	}
	for i, m := range members {
		if roles[i] == "" {
			if unread[i] {
				roles[i] = ownNames[strings.ToLower(path.Base(m.Name))]
			} else if roles[i] = roleByName(m.Name, shapes[i]); isPage(m.Name, artifacts) {
				roles[i] = rolePageAsset
			}
		}
		if roles[i] == "" {
			continue
		}
		j.listed[m.Index] = shapes[i].Top == '[' || shapes[i].Lines
		j.wrapped[m.Index] = roles[i] == roleChats && isWrapped(shapes[i])
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roles[i]})
	}
	j.compare(c.Members)
	c.Context = j
	return c, nil
}

// isBinary tells files whose names say that they are no JSON; their first bytes are not worth reading. Pages of artifacts
// are recognised by their folder.
func isBinary(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp3", ".wav", ".mp4", ".mov", ".pdf", ".docx", ".xlsx", ".pptx", ".html", ".htm":
		return true
	}
	return false
}

// account remembers whose export this is. The file is small; of one that is not whole nothing is remembered.
func (j *joined) account(prefix []byte) {
	d, err := jsonscan.Parse(prefix, 0)
	if err != nil {
		return
	}
	add := func(n jsonscan.Node) {
		id := n.Get("uuid").Str()
		if id == "" {
			return
		}
		for _, known := range j.accounts {
			if known == id {
				return
			}
		}
		j.accounts = append(j.accounts, id)
	}
	if d.Root().Kind() == jsonscan.Object {
		add(d.Root())
	}
	for n := range d.Root().Items() {
		add(n)
	}
}
