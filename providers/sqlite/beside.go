package sqlite

import (
	"regexp"

	"github.com/pamline/pamline/archive"
)

// Beside finds the files that SQLite puts beside its databases.
type Beside struct{ byName map[string][]archive.Member }

// partFolder stands before the names of members of a drop of several parts.
var partFolder = regexp.MustCompile(`^part-[0-9]+/`)

// whole is the name of a member whatever part it is in: a database and its log may be dropped as
// two files.
func whole(name string) string { return partFolder.ReplaceAllString(name, "") }

// NewBeside looks through the members of an archive.
func NewBeside(members []archive.Member) Beside {
	b := Beside{map[string][]archive.Member{}}
	for _, m := range members {
		for _, end := range endings {
			if n := len(m.Name) - len(end); n > 0 && m.Name[n:] == end {
				name := whole(m.Name)
				b.byName[name] = append(b.byName[name], m)
			}
		}
	}
	return b
}

var endings = []string{"-wal", "-shm", "-journal"}

// WAL is the file with the newest changes of a database, nil when there is none.
func (b Beside) WAL(m archive.Member) *archive.Member { return b.find(m, "-wal") }

// Others are the files beside a database that are not read.
func (b Beside) Others(m archive.Member) []archive.Member {
	var out []archive.Member
	for _, end := range endings[1:] {
		if f := b.find(m, end); f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// find prefers a file of the same part of the drop.
func (b Beside) find(m archive.Member, end string) *archive.Member {
	all := b.byName[whole(m.Name)+end]
	for i := range all {
		if all[i].Part == m.Part {
			return &all[i]
		}
	}
	if len(all) > 0 {
		return &all[0]
	}
	return nil
}
