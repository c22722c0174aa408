package s3_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
)

func TestBucketTellsHowItIsSetUp(t *testing.T) {
	const (
		versions  = `<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>`
		encrypted = `<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>aws:kms</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>`
		rule      = `<LifecycleConfiguration><Rule><Status>Enabled</Status><Filter><Prefix>%s</Prefix></Filter><AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>`
	)
	for name, c := range map[string]struct {
		answers map[string]string // by query; a word is an error code
		want    s3.Bucket
	}{
		"all set":       {map[string]string{"versioning": versions, "encryption": encrypted, "lifecycle": fmt.Sprintf(rule, "")}, s3.Bucket{Versioning: "on", Encryption: "aws:kms", Uploads: "removed after 7 days"}},
		"of the folder": {map[string]string{"lifecycle": fmt.Sprintf(rule, "in/")}, s3.Bucket{Versioning: "unknown", Encryption: "unknown", Uploads: "removed after 7 days"}},
		"of another":    {map[string]string{"lifecycle": fmt.Sprintf(rule, "out/")}, s3.Bucket{Versioning: "unknown", Encryption: "unknown", Uploads: "kept for ever"}},
		"nothing set": {map[string]string{"versioning": "<VersioningConfiguration/>", "encryption": "ServerSideEncryptionConfigurationNotFoundError",
			"lifecycle": "NoSuchLifecycleConfiguration"}, s3.Bucket{Versioning: "off", Encryption: "none", Uploads: "kept for ever"}},
		"may not ask": {nil, s3.Bucket{Versioning: "unknown", Encryption: "unknown", Uploads: "unknown"}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				return
			}
			for q := range r.URL.Query() {
				if a := c.answers[q]; a != "" {
					if a[0] == '<' {
						fmt.Fprint(w, a)
					} else {
						refuse(w, http.StatusNotFound, a)
					}
					return
				}
			}
			refuse(w, http.StatusForbidden, "AccessDenied")
		}))
		got, err := open(t, s3.Options{Bucket: "b", Prefix: "in", Endpoint: server.URL, PathStyle: true, AccessKey: "a", SecretKey: "s"}).Describe(t.Context())
		server.Close()
		c.want.Ahead, c.want.ClockKnown = got.Ahead, true
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestRealBucketIsDescribed(t *testing.T) {
	cfg := gateway.Start(t)
	got, err := open(t, options(cfg)).Describe(t.Context())
	if err != nil || !got.ClockKnown {
		t.Errorf("%+v, %v", got, err)
	}
	t.Logf("%+v", got)
}

func TestServerThatLosesMetadataIsFoundOut(t *testing.T) {
	cfg := gateway.Start(t)
	if err := open(t, options(cfg)).CheckMarks(t.Context(), "work/mark"); err != nil {
		t.Error(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("ETag", `"x"`) }))
	defer server.Close()
	err := open(t, s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true, AccessKey: "a", SecretKey: "s"}).CheckMarks(t.Context(), "work/mark")
	if err == nil || !strings.Contains(err.Error(), "metadata") {
		t.Errorf("got %v", err)
	}
}

func TestListingInSmallPagesIsWhole(t *testing.T) {
	pages := 0
	o := options(lossy(t, gateway.Start(t), func(r *http.Request) bool {
		if r.URL.Query().Has("list-type") {
			pages++
		}
		return false
	}))
	o.PageSize = 3
	s := open(t, o)
	for i := range 10 {
		if _, err := s.Put(t.Context(), fmt.Sprint("page/", i), strings.NewReader("x"), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, err := range s.List(t.Context(), "page/") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 10 || pages != 4 {
		t.Errorf("%d of 10 objects are listed, on %d pages", n, pages)
	}
}
