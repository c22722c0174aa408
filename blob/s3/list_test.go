package s3_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
)

// names are what others may call objects in a bucket, in byte order.
var names = []string{
	"inbox/", "inbox/%41.zip", "inbox/..", "inbox/../owners/x", "inbox//empty", "inbox/a b+c&d<e>.zip", "inbox/a\\b", "inbox/bell\x07", "inbox/line\nbreak",
	"inbox/plain.zip", "inbox/z\uFFFEw", "inbox/ü.zip",
}

// lister is a server that knows one page of names. Without encoding it sends what XML can carry of
// them.
func lister(t *testing.T, encodes bool) *s3.Store {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		fmt.Fprint(w, `<?xml version="1.0"?><ListBucketResult>`)
		encode := encodes && q.Get("encoding-type") == "url"
		if encode {
			fmt.Fprint(w, "<EncodingType>url</EncodingType>")
		}
		for _, name := range names {
			if encode {
				name = strings.ReplaceAll(url.QueryEscape(name), "%2F", "/")
			} else if strings.ContainsAny(name, "&<\x07\n\uFFFE") {
				continue
			}
			if strings.HasPrefix(name, q.Get("prefix")) {
				fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>3</Size></Contents>", name)
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	}))
	t.Cleanup(server.Close)
	return open(t, s3.Options{Bucket: "bucket", Endpoint: server.URL, PathStyle: true, AccessKey: "access-key", SecretKey: "secret-key"})
}

func listed(t *testing.T, list func(yield func(blob.Object, error) bool)) []string {
	t.Helper()
	var out []string
	for o, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, o.Key)
	}
	return out
}

func TestNamesThatAreNoKeysDoNotSpoilAList(t *testing.T) {
	s := lister(t, true)
	sorted := slices.Sorted(slices.Values(names))
	if got := listed(t, s.ListAll(t.Context(), "inbox/")); !slices.Equal(got, sorted) {
		t.Errorf("all: %q", got)
	}
	want := []string{"inbox/%41.zip", "inbox/a b+c&d<e>.zip", "inbox/plain.zip", "inbox/ü.zip"}
	if got := listed(t, s.List(t.Context(), "inbox/")); !slices.Equal(got, want) {
		t.Errorf("keys: %q", got)
	}
	// A server that does not know the encoding is believed to the letter.
	if got := listed(t, lister(t, false).List(t.Context(), "inbox/")); !slices.Equal(got, []string{"inbox/%41.zip", "inbox/plain.zip", "inbox/ü.zip"}) {
		t.Errorf("without encoding: %q", got)
	}
}

func TestRealServerListsWhatOthersPutThere(t *testing.T) {
	cfg := gateway.Start(t)
	s := open(t, options(cfg))
	for _, key := range []string{"inbox/ann/a b+c%41.zip", "inbox/ann/ü&.zip", "inbox/bob/x"} {
		if _, err := s.Put(t.Context(), key, strings.NewReader("x"), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"inbox/ann/back\\slash", "inbox/ann/bell\x07", "inbox/ann/line\nbreak"} {
		if err := os.WriteFile(filepath.Join(cfg.Folder, cfg.Bucket, filepath.FromSlash(name)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"inbox/ann/a b+c%41.zip", "inbox/ann/ü&.zip", "inbox/bob/x"}
	all := listed(t, s.ListAll(t.Context(), "inbox/"))
	for _, key := range want {
		if !slices.Contains(all, key) {
			t.Errorf("%q is not among %q", key, all)
		}
	}
	if len(all) != 6 {
		t.Errorf("%q", all)
	}
	t.Logf("%q", all)
}

func TestMetadataOfOthersIsTold(t *testing.T) {
	cfg := gateway.Start(t)
	s := open(t, options(cfg))
	client := awss3.New(awss3.Options{
		BaseEndpoint: &cfg.Endpoint, Region: cfg.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, ""),
	})
	key := "inbox/ann/a.zip"
	want := map[string]string{"pamline-importer": "chatgpt", "project": "home"}
	if _, err := client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: &cfg.Bucket, Key: &key, Body: strings.NewReader("x"),
		Metadata: map[string]string{"Pamline-Importer": "chatgpt", "project": "home"}}); err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(t.Context(), key)
	if err != nil || !maps.Equal(head.Metadata, want) {
		t.Errorf("head: %v, %v", head.Metadata, err)
	}
	body, got, err := s.Get(t.Context(), key, blob.Range{})
	if err != nil || !maps.Equal(got.Metadata, want) {
		t.Fatalf("get: %v, %v", got.Metadata, err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
}

func TestFoldersAreAskedForWithADelimiter(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked = append(asked, q.Get("prefix")+q.Get("delimiter"))
		if q.Get("continuation-token") == "" {
			fmt.Fprint(w, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken><EncodingType>url</EncodingType>`+
				`<CommonPrefixes><Prefix>base/owners/a+b%2525/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>base/owners//</Prefix></CommonPrefixes></ListBucketResult>`)
			return
		}
		fmt.Fprint(w, `<ListBucketResult><CommonPrefixes><Prefix>base/owners/bob/</Prefix></CommonPrefixes></ListBucketResult>`)
	}))
	t.Cleanup(server.Close)
	s := open(t, s3.Options{Bucket: "bucket", Prefix: "base", Endpoint: server.URL, PathStyle: true, AccessKey: "access-key", SecretKey: "secret-key"})
	var got []string
	for name, err := range s.ListFolders(t.Context(), "owners/") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, name)
	}
	if !slices.Equal(got, []string{"a b%25", "bob"}) || !slices.Equal(asked, []string{"base/owners//", "base/owners//"}) {
		t.Errorf("%q, asked for %q", got, asked)
	}
}
