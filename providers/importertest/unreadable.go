package importertest

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// Unreadable holds an importer to what becomes of a member that cannot be opened: under a name that
// only its program gives (own) it is claimed and quarantined, under any other it is nobody's.
func (f Format) Unreadable(t *testing.T, own, other string) {
	t.Helper()
	broken := func(context.Context) (io.ReadCloser, error) { return nil, errors.New("checksum does not fit") }
	members := []archive.Member{archive.NewMember(own, 10, 0, broken), archive.NewMember(other, 10, 0, broken)}
	c, err := f.Importer.Claim(t.Context(), members, Peek, importer.Limits{})
	if err != nil || len(c.Members) != 1 || c.Members[0].Member.Name != own {
		t.Fatalf("claimed %v, %v; want %s alone", c.Members, err, own)
	}
	n := 0
	for u, err := range f.Importer.Split(t.Context(), c, importer.Limits{}) {
		if n++; err != nil || u.Err == nil || u.Err.Code != "unreadable_member" {
			t.Errorf("%+v, %v", u.Err, err)
		}
	}
	if n != 1 {
		t.Errorf("%s gave %d units", own, n)
	}
}
