package gemini

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeEvent keeps an event that belongs to no conversation as a record: feedback, or something
// that was done.
func (imp Importer) decodeEvent(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	var i item
	var said string
	if cell := src.Root.Get(keyCell); cell.Kind() == jsonscan.String {
		c := readCell(cell.Str())
		i, said = c.item, c.title
	} else {
		i, said = imp.readRow(src.Root).item, src.Root.Get("title").Str()
	}
	r := &importer.Record{
		Kind: importer.RecordSetting, Provider: name, Pointer: "/" + strconv.Itoa(u.Index), Text: said, Raw: src.Root.AppendCompact(nil),
	}
	if i.kind == feedback {
		r.Kind = importer.RecordFeedback
	}
	if i.at != normalize.Epoch {
		r.CreatedAt = i.at.String()
	}
	return []importer.Item{{Record: r}}, nil
}

// Codes of what was counted.
const (
	skipOtherProduct = "other-product"
	skipDuplicate    = "duplicate-row"
)

var skipReasons = map[string]string{
	skipOtherProduct: "rows of other Google products in the same log",
	skipDuplicate:    "rows that the drop holds more than once",
}

func decodeReport(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	code := src.Root.Get("code").Str()
	n, err := strconv.Atoi(string(src.Root.Get("count").Raw()))
	if skipReasons[code] == "" || err != nil || n <= 0 {
		return nil, lossless.Fail(u, "bad_report", "the count of what was left out cannot be read")
	}
	return []importer.Item{{Skip: &importer.Skip{Code: code, Reason: skipReasons[code], Count: n}}}, nil
}
