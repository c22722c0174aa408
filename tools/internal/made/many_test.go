package made_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"testing"

	"github.com/pamline/pamline/tools/internal/made"
)

func TestExportsOfProvidersAreWellFormedAndHaveTheirCount(t *testing.T) {
	for _, provider := range made.Providers() {
		t.Run(provider, func(t *testing.T) {
			var twice [2]bytes.Buffer
			for i := range twice {
				if err := (made.Many{Seed: 3, Provider: provider, Count: 7}).Write(&twice[i]); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(twice[0].Bytes(), twice[1].Bytes()) {
				t.Error("twice made, it differs")
			}
			if n := count(t, provider, member(t, twice[0].Bytes())); n != 7 {
				t.Errorf("it has %d conversations or rows, want 7", n)
			}
		})
	}
	if err := (made.Many{Provider: "nobody"}).Write(io.Discard); err == nil {
		t.Error("an export of a provider that there is none of")
	}
}

// member reads the only file of a zip.
func member(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func count(t *testing.T, provider string, data []byte) int {
	t.Helper()
	var list []json.RawMessage
	var under struct{ Conversations []json.RawMessage }
	switch provider {
	case "copilot":
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return len(rows) - 1 // the header
	case "grok":
		if err := json.Unmarshal(data, &under); err != nil {
			t.Fatal(err)
		}
		return len(under.Conversations)
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return len(list)
}
