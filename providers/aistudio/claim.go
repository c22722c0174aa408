package aistudio

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

const rolePrompt = "prompt"

// folder is where Drive has the files of AI Studio, in every language.
const folder = "google ai studio"

// files are the files beside the prompts, by their path.
type files map[string]archive.Member

// claimMembers takes prompts by their content, and the images, recordings and documents beside
// them.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	beside := files{}
	for _, m := range members {
		s, err := peek.Shape(ctx, m)
		var prefix []byte
		if !s.Empty && (s.Top == '[' || inFolder(m.Name)) {
			prefix, err = peek.Prefix(ctx, m)
		}
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil && s.Top == 0 {
			continue // reported as unread
		}
		switch {
		case isPrompt(prefix, s):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: rolePrompt})
		case strings.EqualFold(path.Base(m.Name), "applet_access_history.json"):
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "a list of the applets of Google AI Studio that were opened, not a conversation"})
		case inFolder(m.Name) && isFile(prefix):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: importer.RoleAsset})
			beside[m.Name] = m
		}
	}
	if !slices.ContainsFunc(c.Members, func(m importer.ClaimedMember) bool { return m.Role == rolePrompt }) {
		c.Members = nil // files alone are somebody else's
	}
	c.Context = beside
	return c, nil
}

func inFolder(name string) bool { return strings.EqualFold(path.Base(path.Dir(name)), folder) }

// isFile tells whether a member is an image, a recording or a document.
func isFile(prefix []byte) bool {
	kind, _ := importer.SniffType(prefix)
	top, _, _ := strings.Cut(kind, "/")
	return top == "image" || top == "audio" || top == "video" || kind == "application/pdf"
}

// isPrompt tells whether the first bytes of a file are those of a prompt.
func isPrompt(prefix []byte, s importer.Shape) bool {
	switch {
	case s.Lines:
		return false
	case s.Top == '{':
		return s.Has("chunkedPrompt{") || s.Has("imagenPrompt{") ||
			s.Has("runSettings{") && (s.Has("systemInstruction{") || s.Has("pendingInputs[") || s.Has("runSettings.model"))
	case s.Top == '[':
		return isChunkList(prefix, s)
	}
	return false
}

var (
	// ownRole and otherRole are what a chunk's role may be, and what the roles of all others'
	// messages are.
	ownRole   = regexp.MustCompile(`"role"\s*:\s*"(user|model)"`)
	otherRole = regexp.MustCompile(`"role"\s*:\s*"(assistant|system|human|tool|function)"`)
	// ownKeys are keys of chunks of which a list must have one.
	ownKeys = []string{"tokenCount", "isThought", "finishReason", "thinkingBudget", "parts[", "driveDocument{", "driveImage{", "driveVideo{", "driveAudio{", "inlineFile{", "inlineImage{", "youtubeVideo{"}
)

// isChunkList tells whether a list is one of chunks: objects with a role of AI Studio's, none with
// a role of others, and a key that only chunks have.
func isChunkList(prefix []byte, s importer.Shape) bool {
	if s.Others > 0 || len(s.Objects) == 0 || s.Has("[].content") || s.Has("[].id") || !ownRole.Match(prefix) || otherRole.Match(prefix) {
		return false
	}
	for i, o := range s.Objects {
		if o["role"] != '"' && i < len(s.Objects)-1 { // the last one may be cut short
			return false
		}
	}
	return slices.ContainsFunc(ownKeys, func(k string) bool { return s.Has("[]." + k) })
}
