package deepseek

import (
	"context"
	"errors"
	"path"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// joined is what Decode knows of the other members.
type joined struct {
	accounts map[string]string // by folder
}

// account is that of the folder in which a member lies.
func (j *joined) account(member string) string { return j.accounts[path.Dir(member)] }

// claimMembers takes the members that hold conversations, and the account beside them.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	roles := make([]string, len(members))
	folders := map[string]bool{}
	for i, m := range members {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil && s.Empty {
			continue // nothing of it can be seen: whoever knows its name claims it
		}
		switch {
		case isExport(s):
			roles[i] = roleConversations
			folders[path.Dir(m.Name)] = true
		case isUser(s.Root):
			roles[i] = roleUser
		}
	}
	j := &joined{accounts: map[string]string{}}
	for i, m := range members {
		switch {
		case roles[i] == roleConversations:
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleConversations})
		case roles[i] == roleUser && folders[path.Dir(m.Name)]:
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleUser})
			id, err := readAccount(ctx, m, limits)
			if err != nil {
				return c, err
			}
			j.accounts[path.Dir(m.Name)] = id
		}
	}
	c.Context = j
	return c, nil
}

// isExport tells whether a shape is that of conversations with one of the marks that only
// DeepSeek's have: inserted_at, or fragments. The node "root" is one only where no message has an
// author: exports of ChatGPT may have such a node, too.
func isExport(s importer.Shape) bool {
	for _, at := range []string{"[].", ""} {
		if !s.Has(at + "mapping{") {
			continue
		}
		if s.Has(at+"inserted_at") || s.Has(at+"mapping.*.message.inserted_at") || s.Has(at+"mapping.*.message.fragments[") ||
			s.Has(at+"mapping.root{") && !s.Has(at+"mapping.*.message.author") {
			return true
		}
	}
	return false
}

// isConversation is isExport for one element.
func isConversation(prefix []byte) bool {
	return isExport(importer.Sniff(prefix))
}

// isUser tells whether an object is an account: an id and a way to reach the person.
func isUser(keys map[string]byte) bool {
	if keys["user_id"] != '"' && keys["id"] != '"' {
		return false
	}
	for _, k := range []string{"email", "mobile", "mobile_number", "oauth_profiles"} {
		if _, ok := keys[k]; ok {
			return true
		}
	}
	return false
}

// readAccount gives the id in an account; "" when it cannot be read, which its unit reports.
func readAccount(ctx context.Context, m archive.Member, limits importer.Limits) (string, error) {
	limits = limits.WithDefaults()
	data, err := cut.ReadAll(ctx, importer.Unit{Member: m, Limits: importer.Limits{MaxConversation: limits.MaxSidecar}})
	var bad *importer.UnitError
	var damaged *archive.Error
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &bad), errors.As(err, &damaged):
		return "", nil
	case err != nil:
		return "", err
	}
	doc, err := jsonscan.Parse(data, limits.MaxDepth)
	if err != nil {
		return "", nil
	}
	return accountOf(doc.Root()), nil
}
