package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/pamline/pamline/blob/blobtest/gateway"
)

func TestServerAnswersAndHasItsBucket(t *testing.T) {
	cfg := gateway.Start(t)
	resp, err := http.Get(cfg.Endpoint + "/" + cfg.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a request without signature got %s", resp.Status)
	}
	if _, err := os.Stat(filepath.Join(cfg.Folder, cfg.Bucket)); err != nil {
		t.Error(err)
	}
}
