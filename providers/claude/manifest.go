package claude

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// manifest is the list of the archives that an export consists of. Its links hold good once and are
// neither followed nor kept.
type manifest struct {
	member archive.Member
	files  []listedFile        // each once
	listed map[listedFile]bool // the same
	names  map[string]bool     // of the files, without .zip
}

type listedFile struct{ name, category string }

// categories are the roles of the members that the archives of a category have.
var categories = map[string][]string{
	"conversations":  {roleChats},
	"projects":       {roleProjects},
	"memories":       {roleMemories},
	"light_metadata": {roleAccount, roleLogins},
	"frames":         {roleArtifact, roleComments, rolePageAsset},
	"design_chats":   {roleDesigns},
	"feedback":       {roleFeedback},
}

// list reads a manifest. One that cannot be read lists nothing.
func (j *joined) list(ctx context.Context, m archive.Member, limits importer.Limits) error {
	limits.MaxConversation = limits.MaxSidecar
	data, err := cut.ReadAll(ctx, importer.Unit{Member: m, Limits: limits})
	var bad *importer.UnitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &bad):
		return nil // its unit says so
	case err != nil:
		return nil // nothing follows from a list that is not there; its unit is quarantined
	}
	d, err := jsonscan.Parse(data, limits.MaxDepth)
	if err != nil {
		return nil // likewise
	}
	if j.manifest == nil {
		j.manifest = &manifest{member: m, listed: map[listedFile]bool{}, names: map[string]bool{}}
	}
	for f := range d.Root().Get("data_files").Items() {
		file := listedFile{path.Base(f.Get("filename").Str()), f.Get("category").Str()}
		if file.name == "." || j.manifest.listed[file] {
			continue
		}
		j.manifest.files = append(j.manifest.files, file)
		j.manifest.listed[file] = true
		j.manifest.names[strings.TrimSuffix(file.name, ".zip")] = true
	}
	return nil
}

// compare finds what is listed and not there. An archive is there when a member lies in it or in a
// folder of its name. Where archives were dropped side by side, their names are not known: then
// those of each category are counted.
func (j *joined) compare(members []importer.ClaimedMember) {
	if j.manifest == nil {
		return
	}
	inside := map[string]bool{} // archives and folders that members lie in
	parts := map[string]map[int]bool{}
	for _, m := range members {
		named := false
		for folder := path.Dir(m.Member.Name); folder != "." && folder != "/"; folder = path.Dir(folder) {
			name := strings.TrimSuffix(path.Base(folder), ".zip")
			inside[name] = true
			named = named || j.manifest.names[name]
		}
		if named {
			continue
		}
		for category, roles := range categories {
			if slices.Contains(roles, m.Role) {
				if parts[category] == nil {
					parts[category] = map[int]bool{}
				}
				parts[category][m.Member.Part] = true
			}
		}
	}
	found := map[string]int{}
	for _, f := range j.manifest.files {
		_, known := categories[f.category]
		if inside[strings.TrimSuffix(f.name, ".zip")] || !known {
			continue
		}
		if found[f.category]++; found[f.category] > len(parts[f.category]) {
			j.missing = append(j.missing, f.name)
		}
	}
	slices.Sort(j.missing)
}

// maxNamed bounds the missing archives that the receipt names.
const maxNamed = 20

// missingParts is what the receipt says of archives that are listed and not there.
func missingParts(j *joined) []importer.Item {
	named := strings.Join(j.missing[:min(len(j.missing), maxNamed)], ", ")
	if more := len(j.missing) - maxNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return []importer.Item{{Skip: &importer.Skip{
		Code: "missing-part", Count: len(j.missing),
		Reason: "the manifest lists archives of which nothing is in the drop: " + named + "; drop all archives of the export together, each link works once",
	}}}
}
