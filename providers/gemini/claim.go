package gemini

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// Roles of claimed members.
const (
	roleLog  = "activity"      // MyActivity.json
	rolePage = "activity-page" // MyActivity.html
	roleGems = "gems"          // a page of Gems or scheduled actions
)

// The names of pages that may have nothing in them to recognize them by.
const (
	gemsName    = "gemini_gems_data.html"
	actionsName = "gemini_scheduled_actions_data.html"
)

// Claim takes the logs of Gemini, whatever they are called, and the files beside them. A log of
// another product is refused by its name.
func (Importer) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	roles := make([]string, len(members))
	folders := map[string]bool{}
	for i, m := range members {
		if looksBinary(m.Name) {
			continue
		}
		s, unread := peek.Shape(ctx, m)
		var prefix []byte
		if s.Top == '<' || logLike(s) {
			prefix, unread = peek.Prefix(ctx, m)
		}
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		role, refusal, err := recognize(ctx, m, s, prefix)
		if err != nil {
			return c, fmt.Errorf("look at %s: %w", m.Name, err)
		}
		if unread != nil && role == "" {
			role, refusal = ownName(m.Name), "" // Split says what is wrong with it
		}
		if roles[i] = role; role == roleLog || role == rolePage {
			folders[path.Dir(m.Name)] = true
		}
		if refusal != "" {
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: refusal})
		}
	}
	if len(folders) > 0 {
		// The logs of other products in a Takeout with that of Gemini are nothing that a person
		// would miss.
		c.Refused = slices.DeleteFunc(c.Refused, func(r importer.Refusal) bool { return r.Reason != refusedAIMode })
	}
	found := newAssets()
	for i, m := range members {
		switch {
		case roles[i] != "":
		case folders[path.Dir(m.Name)] && belongs(m.Name):
			roles[i] = importer.RoleAsset
			found.add(m)
		case len(folders) == 0 && inGeminiFolder(m.Name) && hashed.MatchString(path.Base(m.Name)):
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "a file that was attached in Gemini, without the log that it belongs to: ask Google Takeout for My Activity, Gemini Apps"})
		}
		if roles[i] != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roles[i]})
		}
	}
	c.Context = found
	return c, nil
}

// ownName is the role of a member that cannot be read, if its name says that it is one of Gemini.
func ownName(name string) string {
	base := path.Base(name)
	switch ext := strings.ToLower(path.Ext(base)); {
	case base == gemsName || base == actionsName:
		return roleGems
	case !inGeminiFolder(name) || hashed.MatchString(base):
		return ""
	case ext == ".json":
		return roleLog
	case ext == ".html":
		return rolePage
	}
	return ""
}

// inGeminiFolder tells whether a path leads through a folder with a name of Gemini.
func inGeminiFolder(name string) bool {
	for segment := range strings.SplitSeq(path.Dir(name), "/") {
		if isGemini(segment) {
			return true
		}
	}
	return false
}

// looksBinary tells whether a name has the ending of a picture, a recording or a document: those
// are never logs.
func looksBinary(name string) bool {
	switch importer.NamedType(name) {
	case "image", "audio", "video":
		return true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf", ".docx", ".pptx", ".xlsx", ".zip":
		return true
	}
	return false
}

// recognize tells what a member is, or why it is refused although it looks like a log.
func recognize(ctx context.Context, m archive.Member, s importer.Shape, prefix []byte) (role, refusal string, err error) {
	switch {
	case s.Top == '[' && logLike(s), s.Lines && logLike(s):
		found, other, err := searchLog(ctx, m, prefix)
		return verdict(roleLog, found, other, err)
	case s.Top == '<':
		if isGems(prefix) || ownName(path.Base(m.Name)) == roleGems {
			return roleGems, "", nil // an empty page, or one of actions, shows no more than its name
		}
		found, other, err := searchPage(ctx, m)
		return verdict(rolePage, found, other, err)
	}
	return "", "", nil
}

const refusedAIMode = "an activity log of AI Mode, which is Google Search and not Gemini; it is not read"

// verdict is what follows from a search: other is the product of a log that has no row of Gemini.
func verdict(role string, found bool, other string, err error) (string, string, error) {
	switch {
	case err != nil:
		return "", "", err
	case found:
		return role, "", nil
	case other == aiMode:
		return "", refusedAIMode, nil
	case other != "":
		return "", "an activity log of " + shownProduct(other) + ", not of Gemini", nil
	}
	return "", "", nil
}

// logLike tells whether a list looks like an activity log of any product.
func logLike(s importer.Shape) bool {
	for _, o := range s.Objects {
		if o["header"] != 0 && (o["title"] != 0 || o["time"] != 0) {
			return true
		}
	}
	return false
}

var gemMarks = [][]byte{[]byte("<b>name:"), []byte("<b>instructions:")}

// isGems tells whether a page starts like one of Gems.
func isGems(prefix []byte) bool {
	if !bytes.Contains(prefix, []byte("<b>")) && !bytes.Contains(prefix, []byte("<B>")) {
		return false
	}
	lower := bytes.ToLower(prefix)
	for _, m := range gemMarks {
		if !bytes.Contains(lower, m) {
			return false
		}
	}
	return true
}
