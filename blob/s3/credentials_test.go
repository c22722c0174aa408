package s3_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/s3"
)

// withoutAWS takes away whatever the machine that runs the test has set up for AWS.
func withoutAWS(t *testing.T) {
	t.Helper()
	none := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "",
		"AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_WEB_IDENTITY_TOKEN_FILE": "", "AWS_ROLE_ARN": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "",
	} {
		t.Setenv(name, value)
	}
}

// signers keeps whose keys signed the requests, and with which session.
type signers struct {
	mu   sync.Mutex
	keys []string
}

func (f *signers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	key, _, _ := strings.Cut(rest, "/")
	f.keys = append(f.keys, key+" "+r.Header.Get("X-Amz-Security-Token"))
	w.Header().Set("ETag", `"x"`)
}

func put(t *testing.T, s *s3.Store) {
	t.Helper()
	if _, err := s.Put(t.Context(), "o", strings.NewReader("x"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutKeysTheEnvironmentOfAWSIsAsked(t *testing.T) {
	withoutAWS(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "from-env")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	t.Setenv("AWS_SESSION_TOKEN", "session")
	f := &signers{}
	server := httptest.NewServer(f)
	defer server.Close()
	put(t, open(t, s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true}))
	put(t, open(t, s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true, AccessKey: "given", SecretKey: "s"}))
	if got := strings.Join(f.keys, ", "); got != "from-env session, given " {
		t.Errorf("signed by %q", got)
	}
}

// roles is the token service of AWS: it gives keys for a web identity, which are good for a moment.
type roles struct {
	mu     sync.Mutex
	tokens []string
}

func (f *roles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tokens = append(f.tokens, r.PostForm.Get("WebIdentityToken"))
	fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
<Credentials><AccessKeyId>key-%d</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>session-%d</SessionToken><Expiration>%s</Expiration></Credentials>
</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, len(f.tokens), len(f.tokens), time.Now().Add(-time.Minute).UTC().Format(time.RFC3339))
}

func TestKeysOfAWebIdentityAreRenewedFromItsFile(t *testing.T) {
	withoutAWS(t)
	sts := &roles{}
	service := httptest.NewServer(sts)
	defer service.Close()
	token := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(token, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", token)
	t.Setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/pamline")
	t.Setenv("AWS_ENDPOINT_URL_STS", service.URL)
	f := &signers{}
	server := httptest.NewServer(f)
	defer server.Close()
	s := open(t, s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true})
	put(t, s)
	write("second")
	put(t, s)
	if got := strings.Join(sts.tokens, ", "); got != "first, second" {
		t.Errorf("the token service was given %q", got)
	}
	if got := strings.Join(f.keys, ", "); got != "key-1 session-1, key-2 session-2" {
		t.Errorf("signed by %q", got)
	}
}

func TestWithoutAnyKeysTheErrorSaysWhereTheyBelong(t *testing.T) {
	withoutAWS(t)
	server := httptest.NewServer(&signers{})
	defer server.Close()
	err := open(t, s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true}).Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no keys were found") || !strings.Contains(err.Error(), "store.s3.access_key_id") {
		t.Errorf("got %v", err)
	}
}
