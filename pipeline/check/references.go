package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// checkHeads checks everything that the heads name, the current head first: the first that needs a
// damaged object says what comes of it.
func (c *ownerCheck) checkHeads(ctx context.Context, headErr error) error {
	logged := slices.Clone(c.found.keys["logged head"])
	slices.Reverse(logged)
	key := state.HeadKey(c.owner)
	if headErr != nil {
		c.found.need(key, "", subject{namedBy: "the log of heads", consequence: "nothing can be published or copied for this owner: which store is the current one is not known"})
		if d := c.found.damage[key]; d != nil && d.Problem == "it is missing" && len(logged) == 0 {
			d.Problem = "it is missing, and there is no log of heads; the owner has receipts of imports"
		}
	}
	if c.current.Sequence > 0 {
		if err := c.checkCurrent(ctx, key); err != nil {
			return err
		}
	}
	for _, key := range logged {
		var h state.Head
		if _, err := objects.ReadJSON(ctx, c.Store, key, &h); err != nil {
			if !isDamage(err) {
				return err
			}
			continue // the survey has it
		}
		if err := c.checkHead(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// checkErasures compares the ledger of erasures with their receipts.
func (c *ownerCheck) checkErasures(ctx context.Context) error {
	key := ledger.ObjectKey(c.owner)
	l, _, err := ledger.Read(ctx, c.Store, c.owner)
	if err != nil && !isDamage(err) {
		return err
	}
	if err != nil {
		of := subject{namedBy: "a receipt of an erasure"}
		if c.found.need(key, "", of) { // it is whole, but an earlier version
			c.found.damage[key] = &Damage{Object: key, Problem: problemOf(blob.Object{Key: key, Size: 1}, err), kind: kindOf(c.owner, key), of: of}
		}
		return nil
	}
	for n := range l.Receipts {
		c.found.need(ledger.ReceiptKey(c.owner, n+1), "", subject{namedBy: "the ledger of erasures"})
	}
	return nil
}

func (c *ownerCheck) checkCurrent(ctx context.Context, key string) error {
	var named state.Head
	_, err := objects.ReadJSON(ctx, c.Store, key, &named)
	if err != nil && !isDamage(err) {
		return err
	}
	switch {
	case err != nil:
		c.found.need(key, "", subject{namedBy: "the log of heads", consequence: "the log of heads stands in for it"})
	case named.Sequence < c.current.Sequence:
		c.found.damage[key] = &Damage{Object: key, kind: kindOf(c.owner, key), Consequence: "the log of heads stands in for it", of: subject{namedBy: "the log of heads"},
			Problem: fmt.Sprintf("it is an older version: number %d, the log of heads has number %d", named.Sequence, c.current.Sequence)}
	}
	if last := state.HeadLogKey(c.owner, c.current.Sequence); !c.found.has(last) && named.Sequence == c.current.Sequence {
		c.found.need(last, "", subject{namedBy: "head.json", consequence: "nothing could stand in for head.json"})
	}
	return c.checkHead(ctx, c.current)
}

// checkHead checks what one head names.
func (c *ownerCheck) checkHead(ctx context.Context, h state.Head) error {
	of := subject{namedBy: "the head", head: h, consequence: "nothing can be published or copied for this owner"}
	if !c.isCurrent(h) {
		of.namedBy, of.consequence = fmt.Sprintf("the head with number %d", h.Sequence), nothing
	}
	if h.Inputs != "" && !c.inputs[h.Inputs] {
		c.inputs[h.Inputs] = true
		if err := c.checkInputs(ctx, h, of); err != nil {
			return err
		}
	}
	if h.ExportID == "" || c.exports[h.ExportID] {
		return nil
	}
	c.exports[h.ExportID] = true
	return c.checkExport(ctx, h, of)
}

func (c *ownerCheck) isCurrent(h state.Head) bool { return h.Sequence == c.current.Sequence }

func (c *ownerCheck) checkInputs(ctx context.Context, h state.Head, of subject) error {
	key := state.InputsKey(c.owner, h.Inputs)
	if !c.found.need(key, h.Inputs, of) {
		return nil
	}
	in, err := state.ReadInputs(ctx, c.Store, c.owner, h)
	if err != nil {
		if !isDamage(err) {
			return err
		}
		c.found.damage[key] = &Damage{Object: key, kind: kindOf(c.owner, key), Problem: withoutHint(err), Consequence: of.consequence, of: of}
		return nil
	}
	if c.isCurrent(h) {
		c.set = in
	}
	for n := 1; n <= in.Edits; n++ {
		c.found.need(state.EditKey(c.owner, n), in.Contents[state.OwnerJob].Results[strconv.Itoa(n)], of)
	}
	ids := map[string]bool{}
	for drop, e := range in.Drops {
		for _, id := range append(slices.Clone(in.Past[drop]), e.Import) {
			ids[id] = id != ""
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if ids[id] && !c.imports[id] {
			c.imports[id] = true
			if err := c.checkImport(ctx, in, id, of); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkExport checks the files of an export, and the conversations that it names.
func (c *ownerCheck) checkExport(ctx context.Context, h state.Head, of subject) error {
	of.consequence = "the current store cannot be copied (--out), exported or compared"
	if !c.isCurrent(h) && h.ExportID != c.current.ExportID {
		of.consequence = nothing
	}
	if h.Embeddings != "" {
		c.found.need(state.ExportKey(c.owner, h.ExportID, ".embeddings.json"), h.EmbeddingsFile, of)
	}
	for end, file := range h.Formats {
		if file.SHA256 != "" {
			c.found.need(state.ExportKey(c.owner, h.ExportID, end), file.SHA256, of)
		}
	}
	fold := of
	if fold.consequence != nothing {
		fold.consequence = "nothing new can be published for this owner"
	}
	if key := state.ExportKey(c.owner, h.ExportID, ".fold.zst"); c.found.need(key, "", fold) {
		for _, err := range publish.FoldIndex(ctx, c.Store, c.owner, h) {
			switch {
			case err != nil && !isDamage(err):
				return err
			case err != nil:
				c.found.damage[key] = &Damage{Object: key, Problem: withoutHint(err), Consequence: fold.consequence, kind: kindOf(c.owner, key), of: fold}
			}
		}
	}
	key := state.ExportKey(c.owner, h.ExportID, ".json")
	if !c.found.need(key, h.Store, of) {
		return nil
	}
	if h.ExportID == c.current.ExportID {
		if err := c.checkCopies(ctx, h); err != nil {
			return err
		}
	}
	rc, _, err := c.Store.Get(ctx, key, all)
	if err != nil {
		return err
	}
	defer rc.Close()
	err = pamio.ReadStore(rc, pamio.Visitor{IndexEntry: func(e pamio.Element) error {
		entry, err := pamio.ParseIndexEntry(e.Raw)
		if err != nil || entry.Storage == nil || entry.Storage.Type != "file" {
			return err
		}
		one := of
		one.conversations = []string{entry.ID}
		if one.consequence != nothing {
			one.consequence = "a conversation of the current store cannot be read: the store cannot be copied (--out) or exported"
		}
		c.found.need(state.OwnerKey(c.owner, entry.Storage.Ref), "", one)
		return nil
	}})
	if err != nil {
		return fmt.Errorf("read %s: %w", key, err)
	}
	return nil
}

// checkCopies compares the copies of the current store, unless it has been replaced meanwhile.
func (c *ownerCheck) checkCopies(ctx context.Context, h state.Head) error {
	now, _, err := state.ReadHead(ctx, c.Store, c.owner)
	if err != nil && isDamage(err) || err == nil && now.ExportID != h.ExportID {
		return nil
	}
	of := subject{namedBy: "the head", head: h, consequence: "other tools that open the folder as a bundle find a wrong or an old store"}
	for name, file := range publish.CopiesOf(h) {
		if file.SHA256 != "" {
			c.found.need(state.OwnerKey(c.owner, name), file.SHA256, of)
		}
	}
	return err
}

// checkImport checks what the manifest of an import names, and the results that stand for its
// shards.
func (c *ownerCheck) checkImport(ctx context.Context, in state.Inputs, id string, of subject) error {
	of.namedBy = "the input set"
	of.manifest = state.Manifest{Owner: c.owner, Import: id, Drop: dropOf(in, id)}
	digest := in.Contents[id].Manifest
	if !c.found.need(state.ManifestKey(c.owner, id), digest, of) {
		return nil
	}
	m, _, err := state.ReadManifestOf(ctx, c.Store, c.owner, id, digest)
	if err != nil {
		if isDamage(err) {
			return nil // the survey has it, or it has changed since
		}
		return err
	}
	of.manifest, of.namedBy = m, "the manifest of its import"
	c.erased[id] = m.Counts.Skips[ledger.CodeErased].Count > 0
	for _, named := range m.AssetLists {
		if key := state.AssetListKey(c.owner, id, named.Name); c.found.need(key, named.Digest, of) {
			list, err := state.ReadAssetList(ctx, c.Store, m, named)
			if err != nil && !isDamage(err) {
				return err
			}
			c.needAssets(list.Files, of)
		}
	}
	for _, shard := range m.Shards {
		if err := c.checkShard(ctx, in, m, shard, of); err != nil {
			return err
		}
	}
	return nil
}

// dropOf gives the drop of an import.
func dropOf(in state.Inputs, id string) string {
	for drop, e := range in.Drops {
		if e.Import == id || slices.Contains(in.Past[drop], id) {
			return drop
		}
	}
	return ""
}

func (c *ownerCheck) needAssets(files []state.AssetFile, of subject) {
	of.consequence = "a file of the export cannot be copied (--out)"
	for _, f := range files {
		if f.Ref != "" {
			c.found.need(state.AssetKey(c.owner, f.Ref), "", of)
		}
	}
}

func (c *ownerCheck) checkShard(ctx context.Context, in state.Inputs, m state.Manifest, shard state.Shard, of subject) error {
	of.shard = shard
	of.consequence = fmt.Sprintf("%d conversations cannot be read again: nothing new can be published as soon as one of them changes", shard.Snapshots)
	if c.found.need(state.PackListKey(m.Owner, m.Import, shard.Pack), shard.List, of) {
		list, err := state.OpenShardList(ctx, c.Store, m, shard)
		if err != nil {
			if isDamage(err) {
				return nil
			}
			return err
		}
		c.needAssets(list.Assets, of)
		key := state.PackKey(m.Owner, m.Import, list.Pack)
		if list.Pack != "" && !c.found.need(key, "", of) {
			if err := c.nameConversations(list, c.found.damage[key]); err != nil {
				return err
			}
		}
	}
	r := in.ResultOf(m, shard)
	if r == nil {
		return nil
	}
	of.namedBy = "the input set"
	of.consequence = fmt.Sprintf("the memories of %d conversations and %d records are not known: nothing can be published for this owner", shard.Snapshots, shard.Records)
	if !c.found.need(r.Key, r.Digest, of) {
		return nil
	}
	h, err := state.ReadResultHeader(ctx, c.Store, r.Key)
	if err != nil {
		if !isDamage(err) {
			return err
		}
		c.found.damage[r.Key] = &Damage{Object: r.Key, Problem: withoutHint(err), Consequence: of.consequence, kind: kindOf(c.owner, r.Key), digest: r.Digest, of: of}
		return nil
	}
	of.namedBy = "the result of its shard"
	if h.Vectors != "" {
		c.found.need(state.VectorsKey(m.Owner, m.Import, h.Vectors), "", of)
	}
	if h.Rejects != "" {
		of.consequence = "`pamline status --rejects` cannot list what was held back"
		c.found.need(state.RejectsKey(m.Owner, m.Import, h.Rejects), "", of)
	}
	return nil
}

// nameConversations adds the conversations of a damaged pack.
func (c *ownerCheck) nameConversations(list *state.PackList, d *Damage) error {
	for line, err := range list.Lines {
		if err != nil {
			if isDamage(err) {
				return nil
			}
			return err
		}
		if line.Record == "" && len(d.Conversations) < maxConversations {
			d.Conversations = append(d.Conversations, line.Conversation)
		}
	}
	return nil
}
