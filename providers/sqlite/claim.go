package sqlite

import (
	"context"
	"errors"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Roles of the members that Claim takes.
const (
	RoleDatabase = "database"
	RoleLog      = "log"    // the newest changes of a database, read with it
	RoleBeside   = "beside" // what else SQLite puts beside a database; see Passed
)

// Claim takes the databases that an application knows as its own by their tables, with the files
// beside them. A database that cannot be opened is taken when it is named as the application's, so
// that Split reports what is wrong with it. logs has the file with the newest changes, by the index
// of the database.
func Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits, own func(context.Context, *DB) (bool, error), named func(path string) bool) (c []importer.ClaimedMember, logs Logs, err error) {
	beside := NewBeside(members)
	logs = Logs{}
	used := map[int]bool{} // files beside a database, which belong to one
	for _, m := range members {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		take := false
		wal := beside.WAL(m)
		if wal != nil && used[wal.Index] {
			wal = nil
		}
		switch {
		case err != nil:
			take = named(m.Name)
		case s.SQLite:
			take, err = opens(ctx, m, wal, limits, own)
			var bad *Error
			if errors.As(err, &bad) {
				take, err = named(m.Name), nil
			}
			if err != nil {
				return nil, nil, err
			}
		}
		if !take {
			continue
		}
		c = append(c, importer.ClaimedMember{Member: m, Role: RoleDatabase})
		if wal != nil {
			used[wal.Index] = true
			logs[m.Index] = wal
			c = append(c, importer.ClaimedMember{Member: *wal, Role: RoleLog})
		}
		for _, o := range beside.Others(m) {
			if used[o.Index] {
				continue
			}
			used[o.Index] = true
			c = append(c, importer.ClaimedMember{Member: o, Role: RoleBeside})
		}
	}
	return c, logs, nil
}

func opens(ctx context.Context, m archive.Member, wal *archive.Member, limits importer.Limits, own func(context.Context, *DB) (bool, error)) (bool, error) {
	db, err := Open(ctx, m, wal, limits)
	if err != nil {
		return false, err
	}
	ok, err := own(ctx, db)
	return ok, errors.Join(err, db.Close())
}

// Logs are the files with the newest changes, by the index of their database.
type Logs map[int]*archive.Member

// ClaimDatabases gives the claim of an application that keeps nothing but databases, see [Claim].
// Its context is [Logs].
func ClaimDatabases(own func(context.Context, *DB) (bool, error), named func(path string) bool) func(context.Context, []archive.Member, importer.Peeker, importer.Limits) (importer.Claim, error) {
	return func(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
		c, logs, err := Claim(ctx, members, peek, limits, own, named)
		return importer.Claim{Members: c, Context: logs}, err
	}
}

// passedFile is the account of a member with RoleBeside.
var passedFile = importer.Skip{
	Code:   "database_file",
	Reason: "a file that SQLite keeps beside a database while it is open; all that is in it is in the database or its -wal file, but for changes that were never finished",
	Count:  1,
}

// Split yields the units of a member that Claim has taken: those that all makes of a database, see
// [ReadUnits]. It tells whether to go on.
func Split(ctx context.Context, u importer.Unit, logs Logs, yield func(importer.Unit, error) bool, all func(*Units) bool) bool {
	switch u.Role {
	case RoleDatabase:
		return ReadUnits(ctx, u, logs[u.Member.Index], yield, all)
	case RoleBeside:
		return cut.Counted(ctx, u, passedFile, yield)
	}
	return true // a log, which is read with its database
}
