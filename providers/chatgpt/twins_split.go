package chatgpt

import (
	"fmt"

	"github.com/pamline/pamline/providers/importer"
)

// anomalyFromPage counts the conversations that were read from chat.html because the JSON files
// lack them.
const anomalyFromPage = "read_from_chat_html"

// pageAccount is what became of a page, the context of its last unit.
type pageAccount struct {
	repeated int    // conversations that the JSON files hold
	taken    int    // conversations that the JSON files lack
	damaged  int    // elements that cannot be read
	lost     bool   // the JSON files are not whole, so that what is damaged here is quarantined
	lacking  bitmap // the elements that were taken
	unread   bitmap // the elements that are damaged
}

// bitmap is a set of small numbers.
type bitmap []uint64

func (b *bitmap) add(n int) {
	for len(*b) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bitmap) has(n int) bool { return n/64 < len(b) && b[n/64]&(1<<(n%64)) != 0 }

// split yields, after the JSON files, the conversations of the pages that they lack, the faults of
// the JSON files that waited for the pages, and the account of each page. It tells whether to go
// on.
func (t *twins) split(yield func(importer.Unit, error) bool) bool {
	accounts := map[int]*pageAccount{}
	taken := 0
	for i, m := range t.claim.Members {
		if m.Role != roleTwin {
			continue
		}
		accounts[i] = &pageAccount{}
		if !t.readPage(i, accounts[i]) {
			return false
		}
	}
	err := t.lacking(func(n twinNote, lacks bool) {
		a := accounts[n.member]
		if !lacks {
			a.repeated++
			return
		}
		a.taken++
		taken++
		a.lacking.add(n.index)
	})
	if err != nil {
		return t.yield(importer.Unit{}, err)
	}
	whole := true
	for _, a := range accounts {
		a.lost = t.faults+taken > 0
		whole = whole && a.damaged == 0 && a.repeated+a.taken > 0
	}
	for _, u := range t.held {
		bad := *u.Err
		bad.Reason += fromPages(taken, whole)
		u.Err = &bad
		if !t.yield(u, nil) {
			return false
		}
	}
	for i := range t.claim.Members {
		if a := accounts[i]; a != nil && !t.givePage(i, a, yield) {
			return false
		}
	}
	return true
}

// fromPages ends the reason of a fault of the JSON files with what the pages gave.
func fromPages(taken int, whole bool) string {
	switch {
	case taken == 0 && whole:
		return "; chat.html has no conversation that the JSON files lack"
	case taken == 0:
		return ""
	case whole:
		return fmt.Sprintf("; the conversations that the JSON files lack, %d of them, were read from chat.html", taken)
	}
	return fmt.Sprintf("; %d conversations that the JSON files lack were read from chat.html, which is damaged as well", taken)
}

func (t *twins) unit(member int) importer.Unit {
	m := t.claim.Members[member]
	return importer.Unit{Member: m.Member, Role: roleTwin, Context: t.claim.Context, Limits: t.limits}
}

// readPage notes the conversations of a page. It tells whether to go on.
func (t *twins) readPage(member int, a *pageAccount) bool {
	found, err := hasPageData(t.ctx, t.claim.Members[member].Member)
	if err != nil {
		return t.yield(importer.Unit{}, err)
	}
	if !found {
		return t.ctx.Err() == nil || t.yield(importer.Unit{}, t.ctx.Err())
	}
	return splitMember(t.ctx, t.unit(member), func(u importer.Unit, err error) bool {
		if err != nil {
			return t.yield(u, err)
		}
		if u.Err == nil {
			raw, _ := unescapePage(u.Raw)
			if id, updated, ok := t.identify(raw); ok {
				if err := t.note(id, sidePage, u, updated, member); err != nil {
					return t.yield(importer.Unit{}, err)
				}
				return true
			}
		}
		a.damaged++
		a.unread.add(u.Index)
		return true
	})
}

// givePage yields the conversations of a page that the JSON files lack, and the account of the
// page.
func (t *twins) givePage(member int, a *pageAccount, yield func(importer.Unit, error) bool) bool {
	if a.taken > 0 || a.lost && a.damaged > 0 {
		more := splitMember(t.ctx, t.unit(member), func(u importer.Unit, err error) bool {
			if err == nil && !a.lacking.has(u.Index) && (!a.lost || !a.unread.has(u.Index)) {
				return true
			}
			return yield(u, err)
		})
		if !more {
			return false
		}
	}
	u := t.unit(member)
	u.Context = *a
	return t.yield(u, nil)
}

// skips gives the account of a page as items.
func (a pageAccount) skips() []importer.Item {
	var items []importer.Item
	add := func(code, reason string, count int) {
		if count > 0 {
			items = append(items, importer.Item{Skip: &importer.Skip{Code: code, Reason: reason, Count: count}})
		}
	}
	switch {
	case a.repeated+a.taken+a.damaged == 0:
		add("page-without-conversations", "the page holds no conversations", 1)
	case a.lost:
		add("repeated-in-page", "conversations of the page that the JSON files hold as well", a.repeated)
	case a.damaged > 0:
		add("page-damaged", "the page is damaged; the conversations were read from the JSON files, which are whole", 1)
	default:
		add("duplicate-of-json", "the page repeats the conversations of the JSON files", 1)
	}
	return items
}
