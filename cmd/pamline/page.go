package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/cmd/internal/obs"
	"github.com/pamline/pamline/cmd/internal/web"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/search"
)

// mountPage adds the web page to the endpoint of a service. It answers this machine only.
func (l *local) mountPage(server *obs.Server, admin *api.Admin, work *pipeline.Pipeline, o pipeline.Options) (*web.Page, error) {
	keyOf := o.KeyOf
	if keyOf == nil {
		keyOf = func(string) (keys.Private, error) { return keys.Private{}, nil }
	}
	served, err := web.New(web.Options{
		Store: l.store, Client: work, Scratch: l.scratch, SearchFolder: indexFolder(l.store, l.data.Path()),
		MaxUpload: int64(l.config.Limits.MaxScratch), Now: time.Now, NewID: uuid.NewString, Random: rand.Reader,
		Meaning: func(ctx context.Context, text string) (*search.Vector, error) {
			return vectorOf(ctx, o.Reading.Embed, text)
		},
		Hosts: l.config.HTTP.PageHosts(), Eraser: work, Queues: work.Queues, Changed: l.refreshChanged,
		HasKey: func(owner string) bool { key, err := keyOf(owner); return err == nil && !key.IsZero() },
		Export: func(ctx context.Context, owner string, sign *web.SigningKey, w io.Writer) error {
			return l.exportZip(ctx, owner, sign, keyOf, w)
		},
	})
	if err != nil {
		return nil, err
	}
	server.HandleNamed(web.Base, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !server.Loopback() {
			http.Error(w, "the page answers on loopback only: set http.addr to 127.0.0.1:PORT, or run pamline open on the machine itself", http.StatusForbidden)
			return
		}
		served.ServeHTTP(w, r)
	}))
	admin.ServePage(server.Handle, served.Enter, served.EnterOperations)
	return served, nil
}

// refreshChanged brings the bundles up to date that imports have written with --out.
func (l *local) refreshChanged(ctx context.Context, owner string) error {
	reports, err := refreshCopies(ctx, l.store, l.data.Path(), owner, nil)
	l.warnOutdated(owner, reports)
	return err
}

// reachErased reaches what an erasure by this service has to reach outside of the store.
func (l *local) reachErased(ctx context.Context, owner string, all bool) error {
	reports, err := reachCopies(ctx, l.store, l.data.Path(), owner, all, nil)
	l.warnOutdated(owner, reports)
	return err
}

// warnOutdated names the bundles that were left alone.
func (l *local) warnOutdated(owner string, reports []copyReport) {
	for _, one := range reports {
		if one.State == copyOutdated {
			l.log.Warn("a bundle that an import wrote is out of date: its files were changed, so it was left alone", zap.String("owner", owner), zap.String("path", one.Path))
		}
	}
}

// exportZip writes what may be given away of an owner's store as a zip, signed if there is a key.
func (l *local) exportZip(ctx context.Context, owner string, sign *web.SigningKey, keyOf func(owner string) (keys.Private, error), w io.Writer) (err error) {
	folder, err := os.MkdirTemp(l.scratch, "export-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	bundle := filepath.Join(folder, "bundle")
	if err := publish.CopyBundle(ctx, l.store, owner, bundle, publish.CopyOptions{}); err != nil {
		return err
	}
	to := filepath.Join(folder, "export.zip")
	if _, err := exchange.Merge(exchange.Options{Scratch: folder, To: to, Stdout: io.Discard}, bundle); err != nil {
		return err
	}
	if sign != nil {
		if err := signExport(ctx, owner, sign, keyOf, to); err != nil {
			return err
		}
	}
	f, err := os.Open(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// signExport signs a bundle with the key that a person gave, or with the owner's own.
func signExport(ctx context.Context, owner string, sign *web.SigningKey, keyOf func(owner string) (keys.Private, error), path string) error {
	key, err := keyOf(owner)
	if len(sign.Text) > 0 {
		if key, err = keys.ParsePrivate(sign.Text); err != nil {
			return fault.Permanentf("Choose the file that pamline keygen has written.", "this file is no private key that pamline can use")
		}
	}
	if err != nil {
		return err
	}
	_, err = (&signCommand{Path: path, Complete: true}).sign(ctx, key)
	return err
}

// indexPublished brings the search index of an owner up to date. If it fails, the next search does
// it.
func (l *local) indexPublished(served *web.Page, owner string) {
	if err := served.Published(context.Background(), owner); err != nil {
		l.log.Warn("the search index was not brought up to date; the next search does it", zap.String("owner", owner), zap.Error(err))
	}
}
