package assemble

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio/extsort"
)

// What an import does to a conversation of the store.
const (
	// ConversationNew: the store before did not have it.
	ConversationNew = "new"
	// ConversationGrown: the store before had it, and this import adds to it or changes it.
	ConversationGrown = "grown"
	// ConversationAbsent: the store has it from another import of the same provider, and this
	// import does not.
	ConversationAbsent = "absent"
)

// ImportChanges say what one import means for the conversations of the store: those of this import
// alone.
type ImportChanges struct {
	New       int64 `json:"new"`
	Grown     int64 `json:"grown"`
	Unchanged int64 `json:"unchanged"`
	// Absent are conversations of the import's providers that the store has and the import has not,
	// if the import may be a full export. A single conversation is none, and an import that has no
	// conversation in common with others may be another part of an export or another account.
	// Programs of one's own machine are not counted: they have no full export, and what is imported
	// of them is one session or database after the other.
	Absent int64 `json:"absent"`
	// AbsentPeriod: all absent ones are older than every conversation of the import, or newer. It
	// may be an export of some weeks.
	AbsentPeriod bool `json:"absent_period,omitempty"`
	// Listed are the first MaxListedConversations that are not unchanged: new and grown ones before
	// absent ones.
	Listed []ConversationChange `json:"listed,omitempty"`
}

// ConversationChange names one conversation and what happened to it.
type ConversationChange struct {
	Conversation string `json:"conversation"`
	Title        string `json:"title,omitempty"`
	Change       string `json:"change"`
}

// MaxListedConversations is how many conversations ImportChanges list.
const MaxListedConversations = 500

// localPlatform is the platform of all programs of one's own machine together.
const localPlatform = "local"

// maxListedTitle is how many bytes of a title are listed.
const maxListedTitle = 200

// importAccounts count the conversations of some imports while the groups of snapshots are planned.
type importAccounts struct {
	imports []string // ascending
	// members are the conversations of these imports, keyed by conversation and import.
	members  *extsort.Sorter
	accounts map[string]*importAccount
	present  map[string]bool

	next func() (extsort.Record, error, bool)
	stop func()
	at   extsort.Record
	more bool
}

// importAccount is that of one import. Which providers it reads is known at the end only.
type importAccount struct {
	changes ImportChanges
	own     map[string]*ownConversations // by platform
	absent  map[string]*absentees        // by platform
}

// ownConversations are those of an import on one platform.
type ownConversations struct {
	period
	// shared: the store has one of them from elsewhere, too.
	shared bool
}

// period is the time between the oldest and the newest of some conversations, by their order.
type period struct{ first, last string }

func (p *period) add(order string) {
	if p.last == "" || order < p.first {
		p.first = order
	}
	p.last = max(p.last, order)
}

// isApart tells whether all of p is before or after all of o. What has no time is before
// everything, so it says nothing.
func (p *period) isApart(o *period) bool {
	return p.first != "" && o.first != "" && (p.last < o.first || p.first > o.last)
}

// absentees are conversations of one platform that an import has not.
type absentees struct {
	period
	count  int64
	listed []ConversationChange
}

// newImportAccounts counts for these imports; nil for none.
func newImportAccounts(imports []string, members *extsort.Sorter) *importAccounts {
	if len(imports) == 0 {
		return nil
	}
	a := &importAccounts{imports: slices.Compact(slices.Sorted(slices.Values(imports))), members: members,
		accounts: map[string]*importAccount{}, present: map[string]bool{}, stop: func() {}}
	for _, id := range a.imports {
		a.accounts[id] = &importAccount{own: map[string]*ownConversations{}, absent: map[string]*absentees{}}
	}
	return a
}

// add notes which import a snapshot came from, before the snapshots of several imports are told
// apart by content alone.
func (a *importAccounts) add(s *Snapshot) error {
	if a == nil || a.accounts[s.Import] == nil {
		return nil
	}
	return a.members.Add(tupleString(tupleString(nil, s.Conversation), s.Import), nil)
}

// begin reads the members from the first conversation on.
func (a *importAccounts) begin() error {
	if a == nil {
		return nil
	}
	var err error
	a.next, a.stop = iter.Pull2(a.members.Sorted())
	a.at, err, a.more = a.next()
	return err
}

// count takes one conversation of the new store; change is "" for an unchanged one. Conversations
// must ascend.
func (a *importAccounts) count(g group, change string) error {
	if a == nil {
		return nil
	}
	if err := a.findPresent(g[0].Conversation); err != nil {
		return fmt.Errorf("count conversations of imports: %w", err)
	}
	last := &g[len(g)-1]
	for _, id := range a.imports {
		a.accounts[id].count(last, change, a.present[id], change != ConversationNew || len(a.present) > 1)
	}
	return nil
}

// findPresent notes which of the imports have a conversation.
func (a *importAccounts) findPresent(conversation string) (err error) {
	clear(a.present)
	prefix := tupleString(nil, conversation)
	for a.more {
		switch key := a.at.Key; {
		case string(key) < string(prefix):
		case len(key) > len(prefix) && string(key[:len(prefix)]) == string(prefix):
			a.present[string(key[len(prefix):len(key)-2])] = true // an import id has no NUL
		default:
			return nil
		}
		if a.at, err, a.more = a.next(); err != nil {
			return err
		}
	}
	return nil
}

// count takes one conversation; shared tells whether the store before or another of the imports has
// it.
func (a *importAccount) count(s *Snapshot, change string, present, shared bool) {
	c := ConversationChange{Conversation: s.Conversation, Title: listedTitle(s.Title), Change: change}
	if !present {
		if s.Platform == localPlatform {
			return
		}
		gone := a.absent[s.Platform]
		if gone == nil {
			gone = &absentees{}
			a.absent[s.Platform] = gone
		}
		gone.add(s.Order)
		if gone.count++; len(gone.listed) < MaxListedConversations {
			c.Change = ConversationAbsent
			gone.listed = append(gone.listed, c)
		}
		return
	}
	own := a.own[s.Platform]
	if own == nil {
		own = &ownConversations{}
		a.own[s.Platform] = own
	}
	own.add(s.Order)
	own.shared = own.shared || shared
	switch change {
	case ConversationNew:
		a.changes.New++
	case ConversationGrown:
		a.changes.Grown++
	default:
		a.changes.Unchanged++
		return
	}
	if len(a.changes.Listed) < MaxListedConversations {
		a.changes.Listed = append(a.changes.Listed, c)
	}
}

// result gives the changes by import.
func (a *importAccounts) result() map[string]*ImportChanges {
	if a == nil {
		return nil
	}
	a.stop()
	out := map[string]*ImportChanges{}
	for id, account := range a.accounts {
		c := account.changes
		if c.New+c.Grown+c.Unchanged <= 1 {
			out[id] = &c
			continue
		}
		c.AbsentPeriod = true
		for _, platform := range slices.Sorted(maps.Keys(account.own)) {
			own, gone := account.own[platform], account.absent[platform]
			if gone == nil || !own.shared {
				continue
			}
			c.AbsentPeriod = c.AbsentPeriod && gone.isApart(&own.period)
			c.Absent += gone.count
			room := max(0, MaxListedConversations-len(c.Listed))
			c.Listed = append(c.Listed, gone.listed[:min(room, len(gone.listed))]...)
		}
		c.AbsentPeriod = c.AbsentPeriod && c.Absent > 0
		out[id] = &c
	}
	return out
}

// listedTitle cuts a long title between characters.
func listedTitle(title *string) string {
	if title == nil {
		return ""
	}
	t := *title
	if len(t) <= maxListedTitle {
		return t
	}
	n := maxListedTitle
	for n > 0 && !utf8.RuneStart(t[n]) {
		n--
	}
	return t[:n] + "…"
}
