package providers

import (
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// What a person uploaded to an assistant may be an export of another one, and an export may lie
// beside that of another provider with files of the same names. So importers that ask by order
// alone would read uploads as conversations, and take files that belong to a neighbour. The
// settlement lets everybody say what they would take, and decides by place:
//
//   - a member that one importer calls a file of its export, and that lies in that export, is
//     nobody's conversation;
//   - a file belongs to the export in whose folder it lies, to the innermost of several.

// place is a folder of a part of the drop, "." for its top.
type place struct {
	part int
	dir  string
}

// side is an importer with what it would take.
type side struct {
	name     string
	contents []archive.Member // all but the files
	assets   map[int]bool     // files, by index
}

func newSide(imp Importer, c Claim) side {
	s := side{name: imp.Name(), assets: map[int]bool{}}
	for _, m := range c.Members {
		if m.Role == importer.RoleAsset {
			s.assets[m.Member.Index] = true
		} else {
			s.contents = append(s.contents, m.Member)
		}
	}
	return s
}

// settlement says who may not look at a member: everybody but keeper, or those in denied.
type settlement struct {
	keeper map[int]string
	denied map[int]map[string]bool
}

func (s *settlement) hides(m archive.Member, name string) bool {
	if s == nil {
		return false
	}
	keeper, kept := s.keeper[m.Index]
	return kept && keeper != name || s.denied[m.Index][name]
}

// textual are the endings of files that can be an export; others are not shown to a second
// importer.
var textual = map[string]bool{"": true, ".json": true, ".jsonl": true, ".ndjson": true, ".html": true, ".htm": true, ".txt": true, ".csv": true, ".md": true, ".db": true, ".sqlite": true, ".sqlite3": true, ".dat": true}

// settle asks the importers one after another. What one of them takes as content is shown to the
// others as well, and so are its files if they may be an export and lie outside of its own folders.
// It gives nil when nobody wants what another has; then the claims hold as they are.
func settle(ctx context.Context, active []Importer, a *archive.Archive, peek importer.Peeker, limits Limits) ([]Detected, *settlement, error) {
	var claims []Detected
	var sides []side
	takers := make([]int, len(a.Members)) // by position
	hidden := make([]bool, len(a.Members))
	position := make(map[int]int, len(a.Members))
	for i, m := range a.Members {
		position[m.Index] = i
	}
	contested := false
	for _, imp := range active {
		shown := make([]archive.Member, 0, len(a.Members))
		for i, m := range a.Members {
			if !hidden[i] {
				shown = append(shown, m)
			}
		}
		c, err := imp.Claim(ctx, shown, peek, limits)
		if err != nil {
			return nil, nil, claimError(imp, err)
		}
		claims = append(claims, Detected{imp, c})
		if len(c.Members) == 0 {
			continue
		}
		s := newSide(imp, c)
		sides = append(sides, s)
		in := folders(s.contents, nil)
		for _, m := range c.Members {
			at := position[m.Member.Index]
			takers[at]++
			contested = contested || takers[at] > 1
			hidden[at] = hidden[at] || s.assets[m.Member.Index] &&
				(deepest(in, m.Member) >= 0 || !textual[strings.ToLower(path.Ext(m.Member.Name))])
		}
	}
	out := decide(sides, a.Members)
	if !contested && out == nil {
		return claims, nil, nil
	}
	return nil, out, nil
}

// decide settles who may look at what, nil when all is clear.
func decide(sides []side, members []archive.Member) *settlement {
	out := &settlement{keeper: map[int]string{}, denied: map[int]map[string]bool{}}
	if len(sides) < 2 {
		return nil
	}
	for i, s := range sides {
		in := folders(s.contents, out.hiddenFrom(s.name))
		if len(in) == 0 {
			continue // all that it would read is somebody's upload
		}
		for k, other := range sides {
			if k == i {
				continue
			}
			for _, m := range other.contents {
				if _, kept := out.keeper[m.Index]; !kept && s.assets[m.Index] && (deepest(in, m) >= 0 || s.holdsPart(sides, m.Part)) {
					out.keeper[m.Index] = s.name
				}
			}
		}
	}
	left := make([]map[place]bool, len(sides))
	for i, s := range sides {
		left[i] = folders(s.contents, out.hiddenFrom(s.name))
	}
	for _, m := range members {
		if _, kept := out.keeper[m.Index]; kept {
			continue
		}
		for i, s := range sides {
			if !s.assets[m.Index] || len(left[i]) == 0 {
				continue
			}
			own := deepest(left[i], m)
			for k := range sides {
				if k != i && deepest(left[k], m) > own {
					if out.denied[m.Index] == nil {
						out.denied[m.Index] = map[string]bool{}
					}
					out.denied[m.Index][s.name] = true
				}
			}
		}
	}
	if len(out.keeper) == 0 && len(out.denied) == 0 {
		return nil
	}
	return out
}

// hiddenFrom tells which members an importer may not look at.
func (s *settlement) hiddenFrom(name string) func(archive.Member) bool {
	return func(m archive.Member) bool { return s.hides(m, name) }
}

// holdsPart tells whether a part of the drop has only files of s: nothing that it reads, and
// nothing that others would read and s does not call a file. It is then a further part of the
// export that s reads.
func (s side) holdsPart(sides []side, part int) bool {
	for _, other := range sides {
		for _, m := range other.contents {
			if m.Part == part && !s.assets[m.Index] {
				return false
			}
		}
	}
	return true
}

// folders are those of members, without the members that but tells.
func folders(members []archive.Member, but func(archive.Member) bool) map[place]bool {
	out := map[place]bool{}
	for _, m := range members {
		if but == nil || !but(m) {
			out[place{m.Part, path.Dir(m.Name)}] = true
		}
	}
	return out
}

// deepest is the length of the innermost of the folders that has the member in it, however deep; 0
// for the top of its part, and -1 if none has.
func deepest(in map[place]bool, m archive.Member) int {
	if len(in) == 0 {
		return -1
	}
	for dir := path.Dir(m.Name); dir != "."; dir = path.Dir(dir) {
		if in[place{m.Part, dir}] {
			return len(dir)
		}
		if dir == "/" {
			break
		}
	}
	if in[place{m.Part, "."}] {
		return 0
	}
	return -1
}
