// Package gateway runs a real S3 server for tests: versitygw, built from the module tools/versitygw
// and started as a process of its own on a free loopback port, with its data in the test's folder.
// It is killed when the test ends.
//
//	cfg := gateway.Start(t)
//	store, err := s3.Open(ctx, s3.Options{Bucket: cfg.Bucket, Endpoint: cfg.Endpoint, Region: cfg.Region, PathStyle: true,
//		AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey})
//
// Where the server cannot be built, for want of a module proxy, the test is skipped; with CI=true
// in the environment it fails.
package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
)

// Config is what a client of the server needs.
type Config struct {
	Endpoint  string // http://127.0.0.1:<port>
	Region    string
	Bucket    string // made and empty
	AccessKey string
	SecretKey string
	Folder    string // where the server keeps its objects: <Folder>/<Bucket>/<key>
}

// startTimeout only keeps a test that hangs from hanging for ever: a slow machine must not reach
// it.
const startTimeout = 5 * time.Minute

// Option is something that a test wants of the server.
type Option func(*[]string)

// WithEvents has the server publish what happens to objects on a subject of a NATS server, which
// must be there already.
func WithEvents(url, subject string) Option {
	return func(args *[]string) {
		*args = append(*args, "--event-nats-url", url, "--event-nats-topic", subject)
	}
}

// WithVersions has the server keep versions of objects in a folder, for buckets that want them.
func WithVersions(folder string) Option {
	return func(args *[]string) { *args = append(*args, "posix", "--versioning-dir", folder) }
}

// binary gives the path of the server; a process asks for it once.
var binary = sync.OnceValues(func() (string, error) {
	root, err := toolbin.Root()
	if err != nil {
		return "", err
	}
	return toolbin.VersityGW.Build(root)
})

// Start runs a server until the end of the test. It takes about half a second, the first time on a
// machine longer: the server is compiled once and kept in the user's cache folder.
func Start(t testing.TB, options ...Option) Config {
	t.Helper()
	binary, err := binary()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("build the S3 server: %v", err)
		}
		t.Skipf("no S3 server to test against, it could not be built: %v", err)
	}
	data := t.TempDir()
	// Two processes may come upon the same free port; whoever comes second finds it taken and asks
	// again.
	for range 5 {
		cfg, err := start(t, binary, data, options)
		if err == nil {
			return cfg
		}
		t.Logf("start the S3 server: %v", err)
	}
	t.Fatal("the S3 server does not start")
	return Config{}
}

func start(t testing.TB, binary, data string, options []Option) (Config, error) {
	addr, err := toolbin.FreeAddress()
	if err != nil {
		return Config{}, err
	}
	cfg := Config{
		Endpoint: "http://" + addr, Region: "us-east-1", Bucket: "pamline", AccessKey: "test-access", SecretKey: "test-secret",
		Folder: filepath.Join(data, "objects"),
	}
	if err := os.MkdirAll(cfg.Folder, 0o755); err != nil {
		return Config{}, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	// Metadata goes into extended attributes. With --sidecar it would lie in files beside the
	// objects, where tag and content change one after the other: racing If-Match chains lost a
	// quarter to a half of their updates so with v1.8.0.
	args := []string{"--port", addr, "--region", cfg.Region, "--quiet", "--keep-alive"}
	for _, o := range options {
		o(&args)
	}
	if !slices.Contains(args, "posix") {
		args = append(args, "posix")
	}
	cmd := exec.CommandContext(ctx, binary, append(args, cfg.Folder)...)
	// Nothing of the tester's own settings reaches the server, and the keys do not show in the list
	// of processes.
	cmd.Env = []string{"ROOT_ACCESS_KEY=" + cfg.AccessKey, "ROOT_SECRET_KEY=" + cfg.SecretKey, "HOME=" + data}
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	exited, err := toolbin.Run(cmd)
	if err != nil {
		cancel()
		return Config{}, err
	}
	stop := func() { cancel(); <-exited }
	if err := makeBucket(cfg, exited); err != nil {
		stop()
		return Config{}, fmt.Errorf("%w\n%s", err, out.String())
	}
	t.Cleanup(stop)
	return cfg, nil
}

// makeBucket asks for a bucket until the server answers.
func makeBucket(cfg Config, exited <-chan struct{}) error {
	client := s3.New(s3.Options{
		BaseEndpoint: &cfg.Endpoint, Region: cfg.Region, UsePathStyle: true, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, ""),
	})
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		_, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &cfg.Bucket})
		if err == nil {
			return nil
		}
		select {
		case <-exited:
			return errors.New("the server ended at once")
		case <-ctx.Done():
			return fmt.Errorf("the server gives no bucket: %w", err)
		case <-poll.C:
		}
	}
}

// output keeps what the server says, for the message of a failed start.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.b.Len() > 64<<10 {
		return len(p), nil
	}
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
