package pipeline

import (
	"context"

	"github.com/pamline/pamline/pipeline/erase"
)

// EraseOptions returns the options of an erasure whose work a worker does.
func (o Options) EraseOptions(w erase.Worker) erase.Options {
	return erase.Options{Store: o.Store, Worker: w, Now: o.Now, NewID: o.NewID, KeyOf: o.KeyOf, RenewKey: o.RenewKey, Versions: o.Versions, Outside: o.Outside}
}

// FindErasure says what an erasure would reach. It changes nothing.
func (p *Pipeline) FindErasure(ctx context.Context, owner string, t erase.Target) (erase.Preview, error) {
	return erase.Find(ctx, p.options.EraseOptions(p), owner, t)
}

// Erase erases what an owner wants forgotten, as erase.Run says.
func (p *Pipeline) Erase(ctx context.Context, owner string, t erase.Target, keepOriginals bool) (erase.Receipt, error) {
	o := p.options.EraseOptions(p)
	o.KeepOriginals = keepOriginals
	return erase.Run(ctx, o, owner, t)
}
