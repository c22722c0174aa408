package jsonscan

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/ast"
)

// BenchmarkReaders compares Doc with other readers on the elements of an export, one by one, as an
// importer gets them. Doc and sonic's validation keep the text; sonic's tree is visited as a
// whole, because an importer needs all of it; the decoders make maps. Only Doc tells of duplicate
// keys, half surrogates and bytes that are not UTF-8, and bounds the depth.
func BenchmarkReaders(b *testing.B) {
	elements := make([][]byte, 40)
	var total int64
	for i := range elements {
		text := chatExport(1)
		elements[i] = text[1 : len(text)-1]
		total += int64(len(elements[i]))
	}
	var d Doc
	strict := sonic.Config{CopyString: true, UseNumber: true, ValidateString: true}.Froze()
	for _, r := range []struct {
		name string
		read func(src []byte) error
	}{
		{"Doc", func(src []byte) error { return d.Parse(src, 0) }},
		{"sonic valid", func(src []byte) error {
			if !sonic.Valid(src) {
				return errors.New("not valid")
			}
			return nil
		}},
		{"sonic ast", func(src []byte) error {
			return ast.Preorder(string(src), visitor{}, &ast.VisitorOptions{OnlyNumber: true})
		}},
		{"sonic decode", func(src []byte) error { var v any; return strict.Unmarshal(src, &v) }},
		{"encoding/json", func(src []byte) error { var v any; return json.Unmarshal(src, &v) }},
	} {
		b.Run(r.name, func(b *testing.B) {
			b.SetBytes(total)
			b.ReportAllocs()
			for b.Loop() {
				for _, src := range elements {
					if err := r.read(src); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// visitor is an ast.Visitor that passes over everything.
type visitor struct{}

func (visitor) OnNull() error                        { return nil }
func (visitor) OnBool(bool) error                    { return nil }
func (visitor) OnString(string) error                { return nil }
func (visitor) OnInt64(int64, json.Number) error     { return nil }
func (visitor) OnFloat64(float64, json.Number) error { return nil }
func (visitor) OnObjectBegin(int) error              { return nil }
func (visitor) OnObjectKey(string) error             { return nil }
func (visitor) OnObjectEnd() error                   { return nil }
func (visitor) OnArrayBegin(int) error               { return nil }
func (visitor) OnArrayEnd() error                    { return nil }
