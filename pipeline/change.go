package pipeline

import "context"

// changeKey is where an import records what it is about to change. It lies with the rest of its work, and goes with it.
func changeKey(owner, work string) string { return workKey(owner, work, "change.json") }

// recordChange writes what is going to change before the head is swapped: after the swap it could no more be told, and a
// crash before the receipt would lose it. Changes by hand have no receipt.
func recordChange(ctx context.Context, d Deps, owner string, ready map[string]Manifest, c StoreChange) error {
	if len(ready) == 0 {
		return nil
	}
	return putJSON(ctx, d.Store, changeKey(owner, workOf(ready)), c)
}

// changeBefore gives what the imports changed, when the head has them already: what an earlier run recorded that swapped
// the head and got no further, else nothing, which is what now says.
func changeBefore(ctx context.Context, d Deps, owner string, ready map[string]Manifest, now StoreChange) (StoreChange, error) {
	if len(ready) == 0 {
		return now, nil
	}
	var before StoreChange
	_, err := readJSON(ctx, d.Store, changeKey(owner, workOf(ready)), &before)
	if isMissing(err) {
		return now, nil
	}
	return before, err
}
