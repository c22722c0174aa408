package s3

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/logging"

	"github.com/pamline/pamline/blob"
)

// Checksums says when requests carry a CRC32 checksum.
type Checksums string

const (
	ChecksumsAuto          Checksums = "auto"           // as supported for AWS, as required for a custom endpoint; "" too
	ChecksumsWhenSupported Checksums = "when_supported" // on every upload
	ChecksumsWhenRequired  Checksums = "when_required"  // only where the protocol demands one
)

const (
	defaultPartSize    = 8 << 20
	minPartSize        = 5 << 20 // S3's own
	maxParts           = 10_000  // S3's own
	defaultConcurrency = 2
	parallelPuts       = 16
	sdkAttempts        = 3
	sdkMaxPause        = 10 * time.Second
)

// Options says where the bucket is and how to talk to it. Bucket is the only field that has to be
// set.
type Options struct {
	Bucket string
	// Prefix is put before every key, with a slash between; it must be a valid key itself. Empty:
	// keys stand as they are.
	Prefix string
	// Endpoint is the URL of a server other than AWS.
	Endpoint string
	// Region; empty takes AWS's usual settings, or "us-east-1" with a custom endpoint.
	Region string
	// PathStyle puts the bucket into the path instead of the host name. Servers on an IP address
	// need it.
	PathStyle bool
	Checksums Checksums

	// ServerSideEncryption is "", "AES256" or "aws:kms"; KMSKeyID names the key for the latter
	// (empty: the account's).
	ServerSideEncryption string
	KMSKeyID             string

	// AccessKey and SecretKey, with or without SessionToken. Both empty: AWS's usual chain
	// (environment, profile, role).
	AccessKey, SecretKey, SessionToken string

	// CA holds certificates in PEM which are trusted for the endpoint besides the system's.
	CA []byte

	// PartSize in bytes of multipart uploads; 0 means 8 MiB. An object has at most 10 000 parts.
	PartSize int64
	// PageSize is how many names a page of a listing has at most; 0 leaves it to the server, which
	// gives 1000.
	PageSize int32
	// Concurrency of the parts of one upload; 0 means 2.
	Concurrency int
	// Backoff of conditional writes and broken bodies. Everything else is tried three times by the
	// SDK, with pauses of its own that are not longer than Backoff.Max either.
	Backoff blob.Backoff
	// Nonce gives a string never given before, which marks one write in the object's metadata so
	// that its author knows it again. It reaches no document. Nil draws 128 random bits.
	Nonce func() string
}

// Open prepares a store. Nothing is sent yet; [Store.Check] does.
func Open(ctx context.Context, o Options) (*Store, error) {
	if err := o.complete(); err != nil {
		return nil, fmt.Errorf("open s3 store: %w", err)
	}
	cfg, err := o.awsConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("open s3 store: %w", err)
	}
	client := s3.NewFromConfig(cfg, func(c *s3.Options) {
		c.UsePathStyle = o.PathStyle
		if o.Endpoint != "" {
			c.BaseEndpoint = aws.String(o.Endpoint)
		}
		c.RequestChecksumCalculation = o.requestChecksums()
		c.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenSupported
		if o.requestChecksums() == aws.RequestChecksumCalculationWhenRequired {
			c.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		}
		// For all but conditional writes and broken bodies, which are tried again by rules of our
		// own.
		c.Retryer = retry.NewStandard(func(so *retry.StandardOptions) {
			so.MaxAttempts = sdkAttempts
			so.MaxBackoff = cmp.Or(o.Backoff.Max, sdkMaxPause)
		})
		// A ranged answer cannot be checked, and saying so each time only fills the log.
		c.DisableLogOutputChecksumValidationSkipped = true
	})
	s := &Store{client: client, o: o}
	if o.Prefix != "" {
		s.prefix = o.Prefix + "/"
	}
	return s, nil
}

// complete fills in defaults and refuses what cannot work.
func (o *Options) complete() error {
	if o.Bucket == "" {
		return errors.New("no bucket is given")
	}
	o.Prefix = strings.TrimSuffix(o.Prefix, "/")
	if o.Prefix != "" {
		if err := blob.ValidKey(o.Prefix); err != nil {
			return fmt.Errorf("prefix: %w", err)
		}
	}
	if o.Endpoint != "" {
		u, err := url.Parse(o.Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
			return errors.New("the endpoint must be an http or https URL without user name, such as https://s3.example.org:9000")
		}
		if o.Region == "" {
			o.Region = "us-east-1"
		}
	}
	switch o.Checksums {
	case "":
		o.Checksums = ChecksumsAuto
	case ChecksumsAuto, ChecksumsWhenSupported, ChecksumsWhenRequired:
	default:
		return fmt.Errorf("checksums %q: one of auto, when_supported, when_required is expected", o.Checksums)
	}
	switch types.ServerSideEncryption(o.ServerSideEncryption) {
	case "", types.ServerSideEncryptionAes256:
		if o.KMSKeyID != "" {
			return errors.New("a KMS key id needs the encryption aws:kms")
		}
	case types.ServerSideEncryptionAwsKms:
	default:
		return fmt.Errorf("encryption %q: AES256 or aws:kms is expected", o.ServerSideEncryption)
	}
	if (o.AccessKey == "") != (o.SecretKey == "") {
		return errors.New("access key and secret key belong together")
	}
	if o.PartSize == 0 {
		o.PartSize = defaultPartSize
	}
	if o.PartSize < minPartSize {
		return fmt.Errorf("part size %d: S3 wants at least %d bytes", o.PartSize, minPartSize)
	}
	if o.Concurrency <= 0 {
		o.Concurrency = defaultConcurrency
	}
	if o.Nonce == nil {
		o.Nonce = randomNonce
	}
	return nil
}

func (o *Options) requestChecksums() aws.RequestChecksumCalculation {
	if o.Checksums == ChecksumsWhenRequired || o.Checksums == ChecksumsAuto && o.Endpoint != "" {
		return aws.RequestChecksumCalculationWhenRequired
	}
	return aws.RequestChecksumCalculationWhenSupported
}

func (o *Options) awsConfig(ctx context.Context) (aws.Config, error) {
	client, err := httpClient(o.CA)
	if err != nil {
		return aws.Config{}, err
	}
	if o.AccessKey != "" && o.Region != "" {
		// Everything is given: neither environment nor files of AWS's tools have a say.
		return aws.Config{
			Region:      o.Region,
			Credentials: credentials.NewStaticCredentialsProvider(o.AccessKey, o.SecretKey, o.SessionToken),
			HTTPClient:  client,
		}, nil
	}
	// The client's own lines on standard error say nothing that the error does not.
	load := []func(*config.LoadOptions) error{config.WithHTTPClient(client), config.WithLogger(logging.Nop{})}
	if o.Region != "" {
		load = append(load, config.WithRegion(o.Region))
	}
	if o.AccessKey != "" {
		load = append(load, config.WithCredentialsProvider(
			credentials.NewStaticCredentialsProvider(o.AccessKey, o.SecretKey, o.SessionToken)))
	}
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("load AWS settings: %w", err)
	}
	if cfg.Region == "" {
		return aws.Config{}, errors.New("no region is given, neither here nor in AWS's own settings")
	}
	return cfg, nil
}

func httpClient(ca []byte) (aws.HTTPClient, error) {
	var pool *x509.CertPool
	if len(ca) > 0 {
		var err error
		if pool, err = x509.SystemCertPool(); err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(ca) {
			return nil, errors.New("the CA file holds no certificate in PEM form")
		}
	}
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConnsPerHost = 2 * parallelPuts
		// A server that accepts a request and never answers must not hold a worker for ever.
		t.ResponseHeaderTimeout = 2 * time.Minute
		if pool != nil {
			if t.TLSClientConfig == nil {
				t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
			}
			t.TLSClientConfig.RootCAs = pool
		}
	}), nil
}

func randomNonce() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
