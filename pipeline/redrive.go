package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// What became of a letter that was redriven.
const (
	// RedriveQueued: its unit is queued again.
	RedriveQueued = "queued"
	// RedriveReplaced: the drop has another result by now, or is being read anew; nothing was done.
	RedriveReplaced = "replaced"
	// RedriveHealed: the unit has succeeded meanwhile; nothing was done.
	RedriveHealed = "healed"
	// RedriveGone: what the unit is about is there no more; nothing can be done.
	RedriveGone = "gone"
	// RedriveKept: nobody can try this unit again; the letter stays until it is removed by hand.
	RedriveKept = "kept"
)

// Redriven says what became of a letter.
type Redriven struct {
	Letter  Letter `json:"letter"`
	Outcome string `json:"outcome"`
	// Drop is the one whose end to wait for; "" when nothing was queued.
	Drop string `json:"drop,omitempty"`
}

// Redrive has the unit of a letter tried again, from its first attempt. Storage is changed first: a request is recorded, and
// what said that the unit had failed is taken back (insist); then the message is stored, and the letter goes last. Broken off anywhere,
// redriving the letter again, or the reconciler's next pass, goes on. Redriving a unit twice does its work once or twice, and
// changes nothing by it.
func (l *Letters) Redrive(ctx context.Context, one Letter) (Redriven, error) {
	out := Redriven{Letter: one}
	redrive, ok := map[string]func(context.Context, Letter) (outcome, drop string, err error){
		telemetry.StageTake: l.redriveTake, telemetry.StageIngest: l.redriveIngest, telemetry.StageExtract: l.redriveExtract, telemetry.StageAssemble: l.redriveAssemble,
	}[one.Stage]
	if !ok || one.Owner == "" {
		out.Outcome = RedriveKept
		return out, nil
	}
	var err error
	if out.Outcome, out.Drop, err = redrive(ctx, one); fault.Of(err) == fault.Permanent {
		out.Outcome, err = RedriveKept, nil // what is damaged in one owner's place must not keep the letters behind it
	}
	if err != nil {
		return out, fmt.Errorf("redrive dead letter %s: %w", one.ID, err)
	}
	if out.Outcome == RedriveKept {
		return out, nil
	}
	return out, l.Remove(ctx, one)
}

// redriveTake has what lies in the inbox looked at again.
func (l *Letters) redriveTake(ctx context.Context, one Letter) (string, string, error) {
	t, err := decodeTask[TakeTask](one.body())
	if err != nil {
		return RedriveKept, "", nil //nolint:nilerr // a message that nobody understands; the letter says so
	}
	if t.Refuse != "" {
		return RedriveKept, "", nil // by such a name nobody can take it
	}
	u, there, err := lookUp(ctx, l.Store, l.Inbox, t.Key)
	if err != nil {
		return "", "", err
	}
	if !there {
		return RedriveGone, "", nil
	}
	if before, ok, err := readTaken(ctx, l.Store, u.Record()); err == nil && ok && before.State == TakenAs {
		return RedriveHealed, "", nil
	} else if err != nil && fault.Of(err) != fault.Permanent {
		return "", "", err
	}
	if err := l.Store.Delete(ctx, u.Record()); err != nil { // now a pass over the inbox would find it, too
		return "", "", err
	}
	if t.Lane, err = FairLane(ctx, l.js, telemetry.StageTake, t.Owner, t.Lane, l.Limits.OwnerSmall); err != nil {
		return "", "", err
	}
	return RedriveQueued, "", publishTask(ctx, l.js, t)
}

// redriveIngest asks for the drop to be read again, as it was asked for before.
func (l *Letters) redriveIngest(ctx context.Context, one Letter) (string, string, error) {
	r, err := decodeTask[state.Request](one.body())
	if err != nil {
		return RedriveKept, "", nil //nolint:nilerr // as above
	}
	if _, err := state.ReadDrop(ctx, l.Store, r.Owner, r.Drop); fault.Of(err) == fault.Permanent && errors.Is(err, blob.ErrNotExist) {
		return RedriveGone, "", nil
	} else if err != nil {
		return "", "", err
	}
	refused := refusal(l.Deps, r, state.DropRecord{}, errors.New("refused")).Import
	if overtaken, err := l.acceptedAfter(ctx, r.Owner, r.Drop, state.ReceiptKey(r.Owner, refused)); err != nil || overtaken {
		return RedriveReplaced, "", err
	}
	// The receipt of the refusal stands as the account of what was.
	r, ok, err := askLike(ctx, l.Deps, r, func(open state.Request) (bool, error) { return open.Words() == r.Words(), nil })
	if err != nil || !ok {
		return RedriveReplaced, "", err
	}
	return RedriveQueued, r.Drop, enqueue(ctx, l.js, r, l.Limits.OwnerSmall)
}

// acceptedAfter tells whether the drop has got a result after the object of a key was written, by the store's clock.
func (l *Letters) acceptedAfter(ctx context.Context, owner, drop, key string) (bool, error) {
	id, err := acceptedImport(ctx, l.Store, owner, drop)
	if err != nil || id == "" {
		return false, err
	}
	at, err := writtenAt(ctx, l.Store, key)
	if err != nil || at.IsZero() {
		return false, err // by an older version, which removed it, it was redriven before, and that was broken off
	}
	accepted, err := writtenAt(ctx, l.Store, state.ReceiptKey(owner, id))
	return accepted.After(at), err
}

// redriveExtract makes a failed shard one that is missing, and its import one that has not ended.
func (l *Letters) redriveExtract(ctx context.Context, one Letter) (string, string, error) {
	t, err := decodeTask[state.ExtractTask](one.body())
	if err != nil {
		return RedriveKept, "", nil //nolint:nilerr // as above
	}
	before, err := acceptedImport(ctx, l.Store, t.Owner, t.Drop)
	if err != nil {
		return "", "", err
	}
	m, outcome, err := l.importOf(ctx, t.Owner, t.Import)
	if err != nil || outcome != "" {
		return outcome, "", err
	}
	var marker state.Marker
	_, err = state.ReadJSON(ctx, l.Store, state.MarkerKey(t.Owner, t.Import, t.Shard), &marker)
	switch {
	case err != nil && !state.IsMissing(err) && fault.Of(err) != fault.Permanent: // one that cannot be read says nothing
		return "", "", err
	case err == nil && marker.State == state.MarkerOK:
		return l.doneSince(ctx, t, m, before)
	}
	receipt, final, err := state.ReadReceipt(ctx, l.Store, t.Owner, t.Import)
	if err != nil {
		return "", "", err
	}
	if final && receipt.State != state.StateFailed && !receipt.Lacks(t.Shard) {
		return RedriveHealed, "", nil
	}
	var whole bool
	r, ok, err := l.askAnew(ctx, m, before, func() (state.Request, bool, error) { return l.askForImport(ctx, t, m) }, func(r state.Request) (err error) {
		whole, err = l.takeBackFor(ctx, r, m, t.Shard)
		return err
	})
	if err != nil || !ok {
		return RedriveReplaced, "", err
	}
	t.Ask = r.Name()
	done, err := marked(ctx, l.Store, t.Owner, t.Import, t.Shard)
	if err == nil && !done && !whole { // else others, who were asked at the same time, have tried it
		err = (&Worker{Deps: l.Deps, js: l.js}).queueShard(ctx, t)
	}
	if err != nil {
		return "", "", err
	}
	return RedriveQueued, t.Drop, l.goOn(ctx, m, t.Ask, whole)
}

// redriveAssemble asks for the store to be computed again.
func (l *Letters) redriveAssemble(ctx context.Context, one Letter) (string, string, error) {
	t, err := decodeTask[AssembleTask](one.body())
	if err != nil {
		return RedriveKept, "", nil //nolint:nilerr // as above
	}
	before, err := acceptedImport(ctx, l.Store, t.Owner, t.Drop)
	if err != nil {
		return "", "", err
	}
	m, outcome, err := l.importOf(ctx, t.Owner, t.Import)
	if err != nil || outcome != "" {
		return outcome, "", err
	}
	receipt, final, err := state.ReadReceipt(ctx, l.Store, t.Owner, t.Import)
	switch {
	case err != nil:
		return "", "", err
	case final && receipt.Ended() && receipt.State != state.StateFailed:
		return RedriveHealed, "", nil
	}
	ask := func() (state.Request, bool, error) {
		return l.askForImport(ctx, state.ExtractTask{Owner: t.Owner, Drop: t.Drop, Ask: t.Ask, Extractors: m.Extractors, Lane: m.Lane}, m)
	}
	var whole bool
	r, ok, err := l.askAnew(ctx, m, before, ask, func(r state.Request) (err error) {
		whole, err = l.takeBackFor(ctx, r, m, "")
		return err
	})
	if err != nil || !ok {
		return RedriveReplaced, "", err
	}
	return RedriveQueued, t.Drop, l.goOn(ctx, m, r.Name(), whole)
}

// importOf gives the import of a letter, or why it is of no interest any more.
func (l *Letters) importOf(ctx context.Context, owner, id string) (m state.Manifest, outcome string, err error) {
	m, ok, err := state.ReadManifest(ctx, l.Store, owner, id)
	if err != nil {
		return m, "", err
	}
	if !ok { // a shard may fail before the drop is read to its end
		for _, err := range l.Store.List(ctx, state.ImportKey(owner, id, "snapshots/")) {
			return state.Manifest{Owner: owner, Import: id}, "", err
		}
		return m, RedriveGone, nil
	}
	replaced, err := l.replacedSince(ctx, m)
	if replaced {
		outcome = RedriveReplaced
	}
	return m, outcome, err
}

// replacedSince tells whether the store has the result of another import of the drop that came later. One that it had before
// says nothing about a replay that is under way, or that failed.
func (l *Letters) replacedSince(ctx context.Context, m state.Manifest) (bool, error) {
	if another, err := isReplaced(ctx, l.Deps, m); err != nil || !another {
		return false, err
	}
	r, ended, err := state.ReadReceipt(ctx, l.Store, m.Owner, m.Import)
	switch {
	case err != nil:
		return false, err
	case !ended, !r.Ended(): // whether the open request is for this import is for who asks to find out
		open, err := openAsks(ctx, l.Store, m.Owner, m.Drop)
		if err != nil || len(open) > 0 {
			return false, err
		}
	}
	if r.State != state.StateFailed { // it was accepted, and another has taken its place, or nobody asks for it any more
		return true, nil
	}
	return l.acceptedAfter(ctx, m.Owner, m.Drop, state.ReceiptKey(m.Owner, m.Import))
}
