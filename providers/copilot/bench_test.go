package copilot_test

import (
	"testing"

	"github.com/pamline/pamline/providers/copilot"
	"github.com/pamline/pamline/providers/importer"
)

func BenchmarkSplit(b *testing.B) {
	data := []byte(manyRows(20_000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		for u, err := range copilot.New().Split(b.Context(), claim(member(data)), importer.Limits{}) {
			if err != nil || u.Err != nil {
				b.Fatal(err, u.Err)
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	data := []byte(manyRows(2000))
	var units []importer.Unit
	for u, err := range copilot.New().Split(b.Context(), claim(member(data)), importer.Limits{}) {
		if err != nil {
			b.Fatal(err)
		}
		units = append(units, u)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		for _, u := range units {
			if _, err := copilot.New().Decode(u); err != nil {
				b.Fatal(err)
			}
		}
	}
}
