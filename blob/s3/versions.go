package s3

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/pamline/pamline/blob"
)

var _ blob.Versioned = (*Store)(nil)

// permissions of the credentials that removing versions takes.
const versionHint = "let the credentials use s3:GetBucketVersioning, s3:GetBucketObjectLockConfiguration, s3:ListBucketVersions and s3:DeleteObjectVersion"

// keepsVersions tells whether the bucket has, or may have, earlier versions of objects.
func (s *Store) keepsVersions(ctx context.Context) (bool, error) {
	out, err := s.client.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &s.o.Bucket})
	if isUnknownToServer(err) {
		return false, nil
	}
	if err != nil {
		return false, s.versionFailure(ctx, "ask for versions of", "", err)
	}
	return out.Status != "", nil
}

// CheckVersions refuses a bucket with an object lock, whose versions nobody can remove, and one
// whose versions these credentials may not list.
func (s *Store) CheckVersions(ctx context.Context) error {
	keeps, err := s.keepsVersions(ctx)
	if err != nil || !keeps {
		return err
	}
	lock, err := s.client.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: &s.o.Bucket})
	switch {
	case isUnknownToServer(err), code(err) == "ObjectLockConfigurationNotFoundError":
	case err != nil:
		return s.versionFailure(ctx, "ask for the object lock of", "", err)
	case lock.ObjectLockConfiguration != nil && lock.ObjectLockConfiguration.ObjectLockEnabled == types.ObjectLockEnabledEnabled:
		return &blob.Error{Op: "remove versions of", Err: errors.New("the bucket has an object lock, so earlier versions of objects stay until it ends"),
			Hint: "copy the current objects to a bucket without an object lock, use that one, and erase there; the locked bucket has to run out"}
	}
	_, err = s.client.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &s.o.Bucket, Prefix: s.name(""), MaxKeys: aws.Int32(1)})
	return s.versionFailure(ctx, "list versions of", "", err)
}

// RemoveVersions removes earlier versions, and after them the marks of removed objects: without its
// mark an earlier version would be the object again.
func (s *Store) RemoveVersions(ctx context.Context, prefix string) (removed int64, err error) {
	keeps, err := s.keepsVersions(ctx)
	if err != nil || !keeps {
		return 0, err
	}
	for _, marks := range []bool{false, true} {
		pages := s3.NewListObjectVersionsPaginator(s.client, &s3.ListObjectVersionsInput{Bucket: &s.o.Bucket, Prefix: s.name(prefix)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return removed, s.versionFailure(ctx, "list versions of", prefix, err)
			}
			for _, v := range versionsOn(page, marks) {
				_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.o.Bucket, Key: v.Key, VersionId: v.VersionId})
				if err != nil {
					return removed, s.versionFailure(ctx, "remove a version of", prefix, err)
				}
				removed++
			}
		}
	}
	return removed, nil
}

// versionsOn gives the earlier versions on a page, or the marks of removed objects.
func versionsOn(page *s3.ListObjectVersionsOutput, marks bool) (all []types.ObjectIdentifier) {
	if marks {
		for _, m := range page.DeleteMarkers {
			all = append(all, types.ObjectIdentifier{Key: m.Key, VersionId: m.VersionId})
		}
		return all
	}
	for _, v := range page.Versions {
		if !aws.ToBool(v.IsLatest) {
			all = append(all, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
		}
	}
	return all
}

// isUnknownToServer tells that a server does not know the question: then it keeps no versions.
func isUnknownToServer(err error) bool {
	switch code(err) {
	case "NotImplemented", "MethodNotAllowed", "VersioningNotConfigured":
		return true
	}
	return false
}

func (s *Store) versionFailure(ctx context.Context, op, prefix string, err error) error {
	if code(err) == "AccessDenied" {
		return &blob.Error{Op: op, Key: prefix, Err: err, Hint: versionHint}
	}
	return s.failure(ctx, op, prefix, err)
}
