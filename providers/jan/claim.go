package jan

import (
	"context"
	"path"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Roles of members.
const (
	roleThread    = "thread"
	roleMessages  = "messages"
	roleAssistant = "assistant"
)

// threads is which thread.json belongs to which messages, by the index of the members, and the
// files of messages.
type threads struct {
	of    map[int]archive.Member // of the messages
	taken map[int]bool           // threads that are in of
	files localapp.Files
}

// claimMembers takes threads and messages by their shape, and joins those of one folder, else those
// of one thread id. Assistants and the files of messages are taken only beside them, for they look
// like those of others.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	t := &threads{of: map[int]archive.Member{}, taken: map[int]bool{}, files: localapp.Files{}}
	byFolder, byID, folders := map[string]archive.Member{}, map[string]archive.Member{}, map[string]bool{}
	roles := map[int]string{}
	ids := map[int]string{}
	err := localapp.LookInto(ctx, members, peek, mayBeOurs, func(m archive.Member, s importer.Shape, prefix []byte, err error) {
		folder := path.Dir(m.Name)
		role, id := recognize(s, prefix)
		if err != nil {
			role = damaged(m.Name)
		}
		roles[m.Index], ids[m.Index] = role, id
		switch role {
		case roleThread:
			byFolder[folder] = m
			if _, ok := byID[id]; !ok {
				byID[id] = m
			}
			folders[folder] = true
		case roleMessages:
			folders[folder] = true
		}
	})
	if err != nil || len(folders) == 0 {
		return importer.Claim{}, err
	}
	for _, m := range members {
		role := roles[m.Index]
		switch role {
		case "":
			if folders[path.Dir(path.Dir(m.Name))] && path.Base(path.Dir(m.Name)) == "files" {
				role = importer.RoleAsset
				t.files.Add(m)
			}
		case roleMessages:
			thread, ok := byFolder[path.Dir(m.Name)]
			if !ok && ids[m.Index] != "" {
				thread, ok = byID[ids[m.Index]]
			}
			if ok && !t.taken[thread.Index] {
				t.of[m.Index], t.taken[thread.Index] = thread, true
			}
		}
		if role != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: role})
		}
	}
	c.Context = t
	return c, nil
}

// mayBeOurs tells whether the shape leaves it open that a member is Jan's.
func mayBeOurs(s importer.Shape) bool {
	return s.Top == '{' && (s.Has(`object"`) || s.Has(`thread_id"`) || s.Has(`[].thread_id"`))
}

// recognize tells what a member is, "" for nothing of Jan's, and the id of its thread as far as it
// is known.
func recognize(s importer.Shape, prefix []byte) (role, thread string) {
	if !mayBeOurs(s) {
		return "", ""
	}
	first := localapp.First(prefix)
	switch {
	case s.At([]string{"", "[]."}, `thread_id"`, `role"`, "content") && (s.Has("content[") || s.Has("[].content[")):
		return roleMessages, first.Get("thread_id").Str()
	case s.Lines || first.Kind() != jsonscan.Object:
		return "", ""
	case first.Get("object").Is("thread") && first.Get("id").Str() != "":
		return roleThread, first.Get("id").Str()
	case first.Get("object").Is("assistant") && first.Get("instructions").Exists() && first.Get("name").Exists():
		return roleAssistant, ""
	}
	return "", ""
}

// damaged is the role of a file that cannot be looked at, by the name that Jan gives it.
func damaged(name string) string {
	if path.Base(path.Dir(path.Dir(name))) != "threads" {
		return ""
	}
	return map[string]string{"thread.json": roleThread, "messages.jsonl": roleMessages}[path.Base(name)]
}
