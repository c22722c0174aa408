package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest/toolbin"
	blobs3 "github.com/pamline/pamline/blob/s3"
	"github.com/pamline/pamline/tools/internal/fault"
)

// The keys of the test's own S3 server, and where it says it is.
const (
	AccessKey = "chaos-access"
	SecretKey = "chaos-secret"
	Region    = "us-east-1"
	Bucket    = "pamline"
)

// Gateway is an S3 server over a folder, with two doors: one that tells NATS of what is put, one
// that does not, as a server whose notifications get lost.
type Gateway struct {
	// Proxy is what workers go through.
	Proxy *fault.HTTP

	loud, quiet       *Process
	loudAt, quietAt   string
	folder, eventLink string
}

func startGateway(ctx context.Context, o Options, binary, events, subject string) (*Gateway, error) {
	g := &Gateway{folder: filepath.Join(o.Folder, "objects"), eventLink: events}
	if err := os.MkdirAll(g.folder, 0o755); err != nil {
		return nil, fmt.Errorf("make folder of S3 server: %w", err)
	}
	door := func(name string, more ...string) (*Process, string, error) {
		addr, err := toolbin.FreeAddress()
		if err != nil {
			return nil, "", err
		}
		args := append([]string{"--port", addr, "--region", Region, "--quiet", "--keep-alive"}, more...)
		// Supervised: it ends when it finds no NATS while it starts.
		p, err := newProcess(o.logs(), name, true, func() *exec.Cmd {
			cmd := exec.Command(binary, append(args, "posix", g.folder)...)
			cmd.Env = []string{"ROOT_ACCESS_KEY=" + AccessKey, "ROOT_SECRET_KEY=" + SecretKey, "HOME=" + o.Folder}
			return cmd
		})
		return p, addr, err
	}
	var err error
	if g.loud, g.loudAt, err = door("s3", "--event-nats-url", "nats://"+events, "--event-nats-topic", subject); err != nil {
		return nil, err
	}
	if g.quiet, g.quietAt, err = door("s3-quiet"); err != nil {
		return nil, err
	}
	if g.Proxy, err = fault.NewHTTP(g.loudAt, o.Observe); err != nil {
		return nil, err
	}
	if err := g.Start(ctx); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + g.loudAt), Region: Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(AccessKey, SecretKey, ""),
	})
	if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(Bucket)}); err != nil {
		return nil, errors.Join(fmt.Errorf("make bucket: %w", err), g.Close())
	}
	return g, nil
}

// Start starts both doors and returns when they answer.
func (g *Gateway) Start(ctx context.Context) error {
	if err := errors.Join(g.loud.Start(), g.quiet.Start()); err != nil {
		return err
	}
	for _, addr := range []string{g.loudAt, g.quietAt} {
		if err := until(ctx, 30*time.Second, "the S3 server answers", func() error { return answers(ctx, addr) }); err != nil {
			return err
		}
	}
	return nil
}

func answers(ctx context.Context, addr string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/", http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close() // without a signature it says no, which is an answer
}

// Kill ends both doors at once.
func (g *Gateway) Kill() {
	g.loud.Kill()
	g.quiet.Kill()
}

// Open gives the bucket as it is, past the proxy. Loud: NATS is told of what is put.
func (g *Gateway) Open(ctx context.Context, loud bool) (blob.Store, error) {
	if loud {
		return openAt(ctx, g.loudAt)
	}
	return openAt(ctx, g.quietAt)
}

// OpenAsWorker gives the bucket as workers have it: through the proxy.
func (g *Gateway) OpenAsWorker(ctx context.Context) (blob.Store, error) {
	return openAt(ctx, g.Proxy.Addr())
}

func openAt(ctx context.Context, addr string) (blob.Store, error) {
	return blobs3.Open(ctx, blobs3.Options{
		Bucket: Bucket, Endpoint: "http://" + addr, Region: Region, PathStyle: true, AccessKey: AccessKey, SecretKey: SecretKey,
	})
}

// Close ends the server and its proxy.
func (g *Gateway) Close() error {
	return errors.Join(g.Proxy.Close(), g.loud.Close(), g.quiet.Close())
}

// until tries again and again.
func until(ctx context.Context, patience time.Duration, what string, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w", what, err)
		case <-poll.C:
		}
	}
}
