package main

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

func TestReportOfAnImportTellsWhatWasKeptAndWhatNot(t *testing.T) {
	r := state.Receipt{
		State: state.StateLosses, Importers: []string{"a-importer/1", "b-importer/2"},
		Counts: state.Counts{
			Conversations: 3, Messages: 9, Quarantined: 2, Records: map[string]int64{"memory": 3, "project": 1}, Assets: state.AssetCount{Files: 2, Bytes: 1234},
			Anomalies:  map[string]int{"unknown_variant": 2, "asset_missing": 4, "odd_thing": 1, "message_id_differs": 26},
			ByImporter: map[string]state.ImporterCount{"a-importer/1": {Conversations: 2, Records: 4}, "b-importer/2": {Conversations: 1, Assets: 2}},
			Skips:      map[string]state.SkipCount{"empty": {Count: 5, Reason: "nothing in it"}, "odd-skip": {Count: 2, Reason: "nothing in it"}},
		},
		Quarantined: []state.Quarantined{
			{UnitError: providers.UnitError{Member: "talks.json", Index: 3, Offset: 77, Code: "syntax", Reason: "not JSON"}},
			{UnitError: providers.UnitError{Member: "film.mp4", Code: "asset_too_big", Reason: "too big"}},
		},
		Refused: []state.Refusal{{Part: "p.zip", Member: "x.json", Reason: "looks like another"}},
		Unread:  []state.Refusal{{Part: "p.zip", Member: "readme.md", Reason: "not JSON"}},
	}
	var out strings.Builder
	p := &printer{w: &out}
	importedDrop{Files: []string{"p.zip"}, Receipt: r}.write(p, false)
	for _, want := range []string{
		"p.zip: done with losses\n",
		"  read by      a-importer/1: 2 conversations, 4 records, 0 files\n",
		"  read by      b-importer/2: 1 conversation, 0 records, 2 files\n",
		"  kept         3 conversations, 9 messages\n",
		"               3 memories, 1 project of the account\n",
		"               2 attached files (1234 bytes)\n",
		"  missing      4 files that messages mention are missing from the export\n",
		"  notes        2 conversations have a form that is new to this importer: what is known was read, the rest is kept in raw_metadata\n",
		"  unreadable   talks.json, element 3 at byte 77: not JSON\n",
		"  unreadable   film.mp4: too big\n",
		"  refused      x.json: looks like another\n",
		"  not read     readme.md: not JSON\n",
		"  notes        1 × odd thing (kept unchanged)\n",
		"  notes        26 messages have two different ids (kept unchanged)\n",
		"  skipped      5 files without text\n",
		"  skipped      2 × odd-skip (nothing in it)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "unknown_variant") || strings.Contains(out.String(), "asset_missing") {
		t.Errorf("told twice:\n%s", out.String())
	}
}

type named struct {
	providers.Importer
	name, version string
}

func (n named) Name() string    { return n.name }
func (n named) Version() string { return n.version }

func TestProviderAndImporterMustAgree(t *testing.T) {
	registry := providers.NewRegistry(named{name: "a", version: "a-importer/2026.01"}, named{name: "a", version: "a-importer/2025.01"}, named{name: "b", version: "b-importer/2026.01"})
	for _, c := range []struct{ provider, importer, want, wrong string }{
		{"", "", "", ""},
		{"a", "", "a", ""},
		{"", "b", "b", ""},
		{"a", "a-importer/2025.01", "a-importer/2025.01", ""},
		{"a", "a", "a", ""},
		{"a", "b-importer/2026.01", "", "give one of the two"},
		{"c", "", "", "known providers: a, b"},
		{"", "c", "", "known versions"},
	} {
		got, err := pinnedImporter(registry, c.provider, c.importer)
		if got != c.want || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
