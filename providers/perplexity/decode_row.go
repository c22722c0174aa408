package perplexity

import (
	"math/big"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeThreadRow reads a row of the sheet of conversations: the title is the question, the output
// has the answer.
func decodeThreadRow(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	var r jsonscan.Node
	for r = range src.Root.Items() {
		break
	}
	id := r.Get("UUID").Str()
	if r.Kind() != jsonscan.Object || id == "" && !r.Get("TITLE").Exists() && !r.Get("OUTPUT_STR").Exists() {
		return nil, lossless.Fail(u, "not_a_conversation", "the row has neither an id nor a question nor an answer")
	}
	b := rows.New(src, provider)
	b.Doc.Provider.ExportFormatVersion = workbook
	b.ID(id)
	b.Title(r.Get("TITLE"))
	at, _ := u.Context.(place)
	b.Created, b.Updated = at.time(b, r.Get("CREATED")), at.time(b, r.Get("UPDATED"))
	o := b.Item("", 0, r)
	if q := r.Get("TITLE"); q.Kind() == jsonscan.String {
		addMessage(o, id, queryEnd, normalize.RoleUser).Text(q.Str())
	}
	switch out := r.Get("OUTPUT_STR"); {
	case out.Kind() == jsonscan.String:
		b.Unknown("unknown_output")
		addMessage(o, id, answerEnd, normalize.RoleAssistant).Text(out.Str())
	case out.Get("answer").Kind() == jsonscan.String:
		addMessage(o, id, answerEnd, normalize.RoleAssistant).Text(out.Get("answer").Str())
	case out.Exists():
		b.Unknown("unknown_output")
	default:
		b.Anomalies["unanswered"]++
	}
	if len(o.Messages()) == 0 {
		addMessage(o, id, answerEnd, normalize.RoleAssistant)
	}
	for _, m := range o.Messages() {
		m.Time = b.Created
	}
	return b.Items()
}

// time reads a cell with a time, and counts one that cannot be read.
func (p place) time(b *lossless.Builder, n jsonscan.Node) normalize.Instant {
	if t, ok := p.read(n); ok {
		b.Seen(t)
		return t
	}
	if n.Exists() && !n.IsNull() {
		b.Anomalies["unreadable_time"]++
	}
	return normalize.Epoch
}

// maxDay is 9999-12-31 in days from 1900.
const maxDay = 2_958_465

// read reads a cell with a time: a text, or a number of days since the workbook's beginning, which
// a sheet holds to the millisecond.
func (p place) read(n jsonscan.Node) (normalize.Instant, bool) {
	if n.Kind() != jsonscan.Number {
		return lossless.ReadTime(n)
	}
	// The range comes first: an exponent without bounds would make a number of as many digits.
	if f, err := strconv.ParseFloat(string(n.Raw()), 64); err != nil || f < 1e-9 || f > maxDay || len(n.Raw()) > 64 {
		return normalize.Epoch, false
	}
	days, ok := new(big.Rat).SetString(string(n.Raw()))
	if !ok {
		return normalize.Epoch, false
	}
	since := int64(25_569) // days from the workbook's beginning to 1970
	if p.from1904 {
		since = 24_107
	}
	ms := days.Sub(days, big.NewRat(since, 1))
	ms.Mul(ms, big.NewRat(86_400_000, 1))
	ms.Add(ms, big.NewRat(1, 2))
	whole := new(big.Int).Div(ms.Num(), ms.Denom()).Int64()
	if whole <= 0 {
		return normalize.Epoch, false
	}
	return normalize.Instant{Sec: whole / 1000, Micro: int32(whole%1000) * 1000}, true
}
