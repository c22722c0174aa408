package datadir

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAnOwnerIsWhoeverHasSomething(t *testing.T) {
	for name, c := range map[string]struct {
		files, want []string
	}{
		"nothing":                       {nil, nil},
		"a store":                       {[]string{"owners/me/head.json", "owners/me/exports/e.json"}, []string{"me"}},
		"a store without its head":      {[]string{"owners/me/exports/e.json", "owners/me/receipts/d/1.json"}, []string{"me"}},
		"an interrupted import":         {[]string{"inbox/me/d/part-000", "owners/me/jobs/d.json"}, []string{"me"}},
		"an upload only":                {[]string{"inbox/me/d/drop.json"}, []string{"me"}},
		"a store and a refused upload":  {[]string{"owners/me/head.json", "owners/you/jobs/d.json"}, []string{"me"}},
		"two stores, one without head":  {[]string{"owners/you/head.json", "owners/me/exports/e.json"}, []string{"me", "you"}},
		"a name that is no owner":       {[]string{"owners/Not Me/head.json", "owners/.tmp/head.json"}, nil},
		"a file in the place of a name": {[]string{"owners/me"}, nil},
	} {
		store := t.TempDir()
		for _, f := range c.files {
			path := filepath.Join(store, filepath.FromSlash(f))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Owners(store)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
}
