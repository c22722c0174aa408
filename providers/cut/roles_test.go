package cut_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

func TestElementsOfSeveralListsHaveTheirRoles(t *testing.T) {
	data := `{"talks":[1,2],"other":[3],"people":[4],"empty":[],"x":5}`
	m := archive.NewMember("x.json", int64(len(data)), 0, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(data)), nil
	})
	var got []string
	o := cut.Options{Wrappers: []string{"talks", "other", "people", "empty"}, Roles: map[string]string{"talks": "talk", "people": "person"}, Rest: "rest"}
	cut.Elements(t.Context(), importer.Unit{Member: m, Role: "member"}, o, func(u importer.Unit, err error) bool {
		if err != nil || u.Err != nil {
			t.Fatal(err, u.Err)
		}
		got = append(got, u.Role+" "+string(u.Raw))
		return true
	})
	if want := `talk 1|talk 2|member 3|person 4|rest {"x":5}`; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
