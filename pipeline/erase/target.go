package erase

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// minPrefix is the least of an id that names something.
const minPrefix = 4

// found is what a target stands for.
type found struct {
	Preview
	conversations map[string]bool
	records       map[string]bool // texts
	assets        map[string]bool
	memories      map[string]bool // ids
	said          map[string]bool // ids of the statements of memories
	dead          map[string]bool // ids of memories that tombstones name
	drop          string
}

// find resolves a target in the store of the owner.
func (e *finder) find(ctx context.Context, t Target) (*found, error) {
	t.ID = strings.ToLower(strings.TrimSpace(t.ID))
	if (t.Level == LevelConversation || t.Level == LevelDrop) && len(t.ID) < minPrefix {
		return nil, tooShort(t.Level, t.ID)
	}
	f := &found{
		Preview:       Preview{Owner: e.owner, Level: t.Level, Conversations: map[string]string{}},
		conversations: map[string]bool{}, records: map[string]bool{}, assets: map[string]bool{}, memories: map[string]bool{}, said: map[string]bool{}, dead: map[string]bool{},
	}
	if t.Level == LevelOwner { // also one whose store cannot be read any more
		return f, e.countObjects(ctx, f)
	}
	head, _, err := state.ReadHead(ctx, e.Store, e.owner)
	if err != nil {
		return nil, err
	}
	in, err := state.ReadInputs(ctx, e.Store, e.owner, head)
	if err != nil {
		return nil, err
	}
	drops, err := e.importsOf(ctx, in)
	if err != nil {
		return nil, err
	}
	switch t.Level {
	case LevelMemory:
		err = e.findMemory(ctx, head, in, drops, t.ID, f)
	case LevelConversation:
		err = e.findConversation(ctx, drops, t.ID, f)
	case LevelDrop:
		err = e.findDrop(ctx, in, drops, t.ID, f)
	case LevelTombstones:
		err = e.findTombstoned(ctx, head, in, drops, t.Tombstones, f)
	}
	if err != nil {
		return nil, err
	}
	return f, e.describe(ctx, drops, f)
}

func tooShort(level, id string) error {
	return fmt.Errorf("erase %s %q: use at least %d characters of the id: %w", level, id, minPrefix, ErrUnknown)
}

// single gives the one id of several, or tells why there is none.
func single(t string, prefix string, ids map[string]bool) (string, error) {
	switch all := slices.Sorted(maps.Keys(ids)); len(all) {
	case 0:
		return "", fmt.Errorf("erase %s %s: %w", t, prefix, ErrUnknown)
	case 1:
		return all[0], nil
	default:
		return "", fmt.Errorf("erase %s %s: %d ids begin like that: use more characters: %w", t, prefix, len(all), ErrUnknown)
	}
}

func (e *finder) findConversation(ctx context.Context, drops map[string][]string, prefix string, f *found) error {
	ids := map[string]bool{}
	for _, imports := range drops {
		for _, id := range imports {
			err := e.eachOf(ctx, id, func(_ state.Manifest, one element) error {
				if one.Record == "" && strings.HasPrefix(one.Conversation, prefix) {
					ids[one.Conversation] = true
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	id, err := single(LevelConversation, prefix, ids)
	f.ID, f.conversations[id] = id, true
	return err
}

// findDrop finds a drop, and what no other drop has.
func (e *finder) findDrop(ctx context.Context, in state.Inputs, drops map[string][]string, prefix string, f *found) error {
	ids := map[string]bool{}
	for drop := range in.Drops {
		if drop != state.OwnerJob && strings.HasPrefix(drop, prefix) {
			ids[drop] = true
		}
	}
	stored, err := e.storedDrops(ctx)
	if err != nil {
		return err
	}
	for _, drop := range stored {
		ids[drop] = ids[drop] || strings.HasPrefix(drop, prefix)
	}
	maps.DeleteFunc(ids, func(_ string, yes bool) bool { return !yes })
	for drop, imports := range drops {
		if strings.HasPrefix(drop, prefix) || slices.ContainsFunc(imports, func(id string) bool { return strings.HasPrefix(id, prefix) }) {
			ids[drop] = true
		}
	}
	id, err := single(LevelDrop, prefix, ids)
	if err != nil {
		return err
	}
	f.ID, f.drop = id, id
	elsewhere, texts, kept := map[string]bool{}, map[string]bool{}, &found{memories: map[string]bool{}}
	for drop, imports := range drops {
		for _, im := range imports {
			err := e.eachOf(ctx, im, func(_ state.Manifest, one element) error {
				switch mine := drop == id; {
				case one.Record == "" && mine:
					f.conversations[one.Conversation] = true
				case one.Record == "":
					elsewhere[one.Conversation] = true
				case mine:
					f.records[one.text()] = true
					f.addAdopted(one)
				default:
					texts[pamio.NormalizeContent(one.text())] = true
					kept.addAdopted(one)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	maps.DeleteFunc(f.conversations, func(id string, _ bool) bool { return elsewhere[id] })
	maps.DeleteFunc(f.records, func(text string, _ bool) bool { return texts[pamio.NormalizeContent(text)] })
	maps.DeleteFunc(f.memories, func(id string, _ bool) bool { return kept.memories[id] })
	return nil
}

// addAdopted adds the memory of another store that a record is, under the id that it has there.
func (f *found) addAdopted(one element) {
	if one.record.Kind != extract.RecordPAMMemory {
		return
	}
	if m, err := pamio.ParseMemory(one.record.Raw); err == nil {
		f.memories[m.ID] = true
	}
}

// findMemory finds a memory, those of other stores that say the same, and the conversations and
// records that state it.
func (e *finder) findMemory(ctx context.Context, head state.Head, in state.Inputs, drops map[string][]string, prefix string, f *found) error {
	ids, exact := map[string]bool{}, ""
	for m, err := range publish.ExportMemories(ctx, e.Store, e.owner, head) {
		if err != nil {
			return err
		}
		switch id := strings.ToLower(m.Id); { // ids of other stores have any form
		case id == prefix:
			exact = m.Id
		case len(prefix) >= minPrefix && strings.HasPrefix(id, prefix):
			ids[m.Id] = true
		}
	}
	if exact != "" {
		ids = map[string]bool{exact: true}
	}
	if len(ids) == 0 && len(prefix) < minPrefix {
		return tooShort(LevelMemory, prefix)
	}
	id, err := single(LevelMemory, prefix, ids)
	if err != nil {
		return err
	}
	f.ID, f.memories[id] = id, true
	if err := e.findAllStatements(ctx, in, drops, f); err != nil || maps.Equal(f.said, f.memories) {
		return err
	}
	maps.Copy(f.memories, f.said)
	return e.findAllStatements(ctx, in, drops, f)
}

// findAllStatements adds the conversations and records that state the memories.
func (e *finder) findAllStatements(ctx context.Context, in state.Inputs, drops map[string][]string, f *found) error {
	for _, imports := range drops {
		for _, im := range imports {
			if err := e.findStatements(ctx, in, im, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// findStatements adds the conversations and records of an import that state one of the memories.
func (e *finder) findStatements(ctx context.Context, in state.Inputs, im string, f *found) error {
	m, ok, err := state.ReadManifest(ctx, e.Store, e.owner, im)
	if err != nil || !ok {
		return err
	}
	places := map[string]bool{}
	for _, shard := range m.Shards {
		for _, key := range e.resultKeys(ctx, m, shard) {
			err := eachCandidate(ctx, e.Store, key, func(_ []byte, c normalize.Candidate) error {
				id, statement := statedBy(c)
				if !f.memories[id] && !f.memories[statement] {
					return nil
				}
				f.memories[id], f.said[statement] = true, true
				for _, ev := range c.Evidence {
					if ev.Conversation != "" {
						f.conversations[ev.Conversation] = true
					} else {
						places[ev.Member+"\n"+ev.Pointer] = true
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	return e.eachOf(ctx, im, func(_ state.Manifest, one element) error {
		if one.Record != "" && places[one.file+"\n"+one.record.Pointer] {
			f.records[one.text()] = true
		}
		return nil
	})
}

// statedBy gives the id of the memory that a candidate makes, and that of its statement; they
// differ for a memory of another store.
func statedBy(c normalize.Candidate) (id, statement string) {
	if c.Element != nil {
		if m, err := pamio.ParseMemory(c.Element); err == nil { // else it is an element of another kind
			return m.ID, normalize.MemoryIDOf(m.Type, m.CustomType, m.Content)
		}
	}
	statement = normalize.MemoryIDOf(c.Type, c.CustomType, c.Content)
	return statement, statement
}

// describe counts what goes with the target.
func (e *finder) describe(ctx context.Context, drops map[string][]string, f *found) error {
	if err := e.addElements(ctx, drops, f); err != nil {
		return err
	}
	texts := map[string]bool{}
	for text := range f.records {
		texts[pamio.NormalizeContent(text)] = true
	}
	f.Records = len(texts)
	kept := map[string]bool{}
	for drop, imports := range drops {
		holds := drop == f.drop
		for _, id := range imports {
			assets, err := e.assetsOf(ctx, id, func(one element) bool {
				goes := one.Record == "" && f.conversations[one.Conversation] || one.Record != "" && texts[pamio.NormalizeContent(one.text())]
				if goes && one.Record == "" {
					title := ""
					if one.Title != nil {
						title = *one.Title
					}
					f.Conversations[one.Conversation] = title
				}
				holds = holds || goes
				return goes
			})
			if err != nil {
				return err
			}
			for ref, goes := range assets {
				if goes || drop == f.drop {
					f.assets[ref] = true
				} else {
					kept[ref] = true
				}
			}
		}
		if holds {
			f.Archives++
		}
	}
	maps.DeleteFunc(f.assets, func(ref string, _ bool) bool { return kept[ref] })
	return nil
}

// countObjects counts everything of an owner.
func (e *finder) countObjects(ctx context.Context, f *found) error {
	for _, root := range e.roots() {
		for o, err := range e.Store.List(ctx, root) {
			if err != nil {
				return err
			}
			f.Objects++
			if root == state.InboxPrefix(e.owner) && strings.HasSuffix(o.Key, "/drop.json") {
				f.Archives++
			}
		}
	}
	if f.Objects == 0 {
		return fmt.Errorf("erase owner %s: %w", e.owner, ErrUnknown)
	}
	return nil
}

// entry is what the ledger keeps of a target.
func (f *found) entry(l *ledger.Ledger) (keys []string) {
	add := func(kind string, names map[string]bool) {
		for name := range names {
			keys = append(keys, l.Key(kind, name))
		}
	}
	add(ledger.Conversation, f.conversations)
	add(ledger.Record, f.records)
	add(ledger.Asset, f.assets)
	add(ledger.Memory, f.memories)
	add(ledger.Tombstone, f.dead)
	if f.drop != "" {
		keys = append(keys, l.Key(ledger.Drop, f.drop))
	}
	return keys
}

// isOfErasedMemory tells whether an edit names or makes a memory that was erased.
func (e *eraser) isOfErasedMemory(edit assemble.Edit) bool {
	made := edit.Content != "" && e.ledger.Has(ledger.Memory, normalize.MemoryIDOf(edit.Type, edit.CustomType, edit.Content))
	return made || edit.Memory != "" && e.ledger.Has(ledger.Memory, edit.Memory)
}

func eachCandidate(ctx context.Context, s storage, key string, f func(line []byte, c normalize.Candidate) error) error {
	first := true
	for line, err := range objects.ReadLines(ctx, s, key) {
		if err != nil {
			return err
		}
		if first {
			first = false
			continue
		}
		c, err := extract.ParseCandidate(line)
		if err != nil {
			return objects.Damaged(key, err)
		}
		if err := f(line, c); err != nil {
			return err
		}
	}
	return nil
}
