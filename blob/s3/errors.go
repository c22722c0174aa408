package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/pamline/pamline/blob"
)

// wrap gives an error its operation and key: the end of ctx or an answer of the store where it is
// one, else a [blob.Error].
func (s *Store) wrap(ctx context.Context, op, key string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s object %q: %w", op, key, ctx.Err())
	case errors.Is(err, blob.ErrPrecondition), errors.Is(err, blob.ErrChanged), errors.Is(err, blob.ErrKey):
		return fmt.Errorf("%s object %q: %w", op, key, err)
	case status(err) == http.StatusNotFound && code(err) != "NoSuchBucket" && code(err) != "NoSuchUpload":
		return fmt.Errorf("%s object %q: %w", op, key, blob.ErrNotExist)
	case sharesName[code(err)]:
		return fmt.Errorf("%s object %q: %w: an object and a folder would share a name", op, key, blob.ErrKey)
	}
	return s.failure(ctx, op, key, err)
}

func (s *Store) failure(ctx context.Context, op, key string, err error) error {
	if err == nil {
		return nil
	}
	retry := ctx.Err() == nil && transient(err)
	if ctx.Err() == nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		// A timeout of the transport calls itself a DeadlineExceeded, which the caller would take
		// for its own.
		err = timeout{err.Error()}
	}
	return &blob.Error{Op: op, Key: key, Hint: s.hint(err), Retry: retry, Err: err}
}

// timeout is a time limit of the connection, not of the caller.
type timeout struct{ text string }

func (t timeout) Error() string { return t.text }

// sharesName are the answers of servers that keep objects as files.
var sharesName = map[string]bool{
	"ObjectParentIsFile":            true,
	"ExistingObjectIsDirectory":     true,
	"XMinioParentIsObject":          true,
	"XMinioObjectExistsAsDirectory": true,
}

const wrongRegion = "the bucket is in another region: set store.s3.region to it"

// hints says what a person can do about an answer of the server.
var hints = map[string]string{
	"NoSuchBucket":                       "the bucket is not there: make it, or correct its name",
	"AccessDenied":                       "the credentials do not allow this: check the policy of user and bucket",
	"InvalidAccessKeyId":                 "the server does not know the access key: check store.s3.access_key_id, or what the AWS chain gives",
	"SignatureDoesNotMatch":              "the secret key is wrong, or a proxy changes requests: check store.s3.secret_access_key_file",
	"ExpiredToken":                       "the session token has expired: give a new one and start again, or leave keys out and let the AWS chain renew them",
	"RequestTimeTooSkewed":               "the clock of this machine is wrong: switch on time synchronisation",
	"PermanentRedirect":                  wrongRegion,
	"AuthorizationHeaderMalformed":       wrongRegion,
	"IllegalLocationConstraintException": wrongRegion,
	"InvalidRegion":                      wrongRegion,
	"InvalidToken":                       "the session token is not one the server knows: check store.s3.session_token_file",
	"EntityTooLarge":                     "the object is larger than the server takes",
	"InvalidStorageClass":                "the server does not know the storage class",
	"KMS.NotFoundException":              "the KMS key is not there: check its id and region",
	"QuotaExceeded":                      "the quota of the bucket is used up",
	"XAmzContentChecksumMismatch":        "set checksums to when_required, the server may not know them",
	"NotImplemented":                     "the server lacks this part of S3: try checksums when_required, or another server",
}

// statusHints is for answers without a code: those to HEAD have no body.
var statusHints = map[int]string{
	http.StatusMovedPermanently: wrongRegion,
	http.StatusBadRequest:       "the region, the session token or the endpoint may be wrong: answers to this question do not say which",
	http.StatusForbidden:        "the keys are wrong or do not allow this, or the clock of this machine is wrong",
	http.StatusNotFound:         "the bucket is not there: make it, or correct its name",
}

func (s *Store) hint(err error) string {
	if errors.Is(err, errDeleted) {
		return "the bucket keeps versions, and this server takes a deleted object for one that is there: switch its versions off, or remove the earlier versions and the delete marker of the object"
	}
	if h, ok := hints[code(err)]; ok {
		return h
	}
	if h, ok := statusHints[status(err)]; ok {
		return h
	}
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		return "the server's certificate is signed by nobody this machine trusts: set store.s3.ca_file to the certificate of who signed it"
	}
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return "the server's certificate is out of its time or for another name: have it renewed, and check the endpoint and this machine's clock"
	}
	if strings.Contains(err.Error(), "get identity: get credentials") { // the SDK has no type for it
		return "no keys were found: set store.s3.access_key_id and secret_access_key_file, or give the AWS chain some (environment, profile, web identity, instance role)"
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return "the server cannot be reached: check the endpoint"
	}
	return ""
}

// code is the server's name for an error, or empty.
func code(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return ""
}

// status is the HTTP status of an error, or 0.
func status(err error) int {
	var e *awshttp.ResponseError
	if errors.As(err, &e) {
		return e.HTTPStatusCode()
	}
	return 0
}

// isConflict: the server could not decide a condition because of a concurrent write.
func isConflict(err error) bool {
	return code(err) == "ConditionalRequestConflict" || code(err) == "OperationAborted"
}

var retryables = retry.IsErrorRetryables(retry.DefaultRetryables)

// transient: the same request may succeed in a moment. A context that has ended is for the caller
// to look at.
func transient(err error) bool {
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) {
		return false
	}
	if isConflict(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return true
	}
	switch st := status(err); {
	case st >= 500 && st != http.StatusNotImplemented, st == http.StatusTooManyRequests, st == http.StatusRequestTimeout:
		return true
	}
	var n net.Error
	return errors.As(err, &n) || retryables.IsErrorRetryable(err).Bool()
}
