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
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exchange"
	"github.com/pamline/pamline/cmd/internal/obs"
	"github.com/pamline/pamline/cmd/internal/web"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/publish"
)

// mountPage adds the web page to the endpoint of a service. It answers this machine only.
func (l *local) mountPage(server *obs.Server, admin *api.Admin, client pipeline.Client) (*web.Page, error) {
	served, err := web.New(web.Options{
		Store: l.store, Client: client, Scratch: l.scratch, SearchFolder: l.data.Join(datadir.SearchFolder),
		MaxUpload: int64(l.config.Limits.MaxScratch), Now: time.Now, NewID: uuid.NewString, Random: rand.Reader, Export: l.exportZip,
	})
	if err != nil {
		return nil, err
	}
	server.Handle(web.Base, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !server.Loopback() {
			http.Error(w, "the page answers on loopback only: set http.addr to 127.0.0.1:PORT, or run pamline open on the machine itself", http.StatusForbidden)
			return
		}
		served.ServeHTTP(w, r)
	}))
	admin.ServePage(server.Handle, served.Enter)
	return served, nil
}

// exportZip writes what may be given away of an owner's store as a zip.
func (l *local) exportZip(ctx context.Context, owner string, w io.Writer) (err error) {
	folder, err := os.MkdirTemp(l.scratch, "export-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	bundle := filepath.Join(folder, "bundle")
	if err := publish.CopyBundle(ctx, l.store, owner, bundle, nil); err != nil {
		return err
	}
	to := filepath.Join(folder, "export.zip")
	if _, err := exchange.Merge(exchange.Options{Scratch: folder, To: to, Stdout: io.Discard}, bundle); err != nil {
		return err
	}
	f, err := os.Open(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// indexPublished brings the search index of an owner up to date. If it fails, the next search does
// it.
func (l *local) indexPublished(served *web.Page, owner string) {
	if err := served.Published(context.Background(), owner); err != nil {
		l.log.Warn("the search index was not brought up to date; the next search does it", zap.String("owner", owner), zap.Error(err))
	}
}
