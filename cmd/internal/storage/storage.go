// Package storage opens the store that the settings name.
package storage

import (
	"context"
	"fmt"
	"os"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/blob/s3"
	"github.com/pamline/pamline/config"
)

// Open opens the store of c. local is the folder of a store.kind dir that names none. close gives
// back what it holds.
func Open(ctx context.Context, c config.Store, local string) (s blob.Store, close func() error, err error) {
	if c.Kind == "s3" {
		o, err := Options(c.S3)
		if err != nil {
			return nil, nil, err
		}
		s, err := s3.Open(ctx, o)
		return s, func() error { return nil }, err
	}
	if c.Dir.Path != "" {
		local = c.Dir.Path
	}
	folder, err := dir.Open(local)
	if err != nil {
		return nil, nil, err
	}
	return folder, folder.Close, nil
}

// OpenReadOnly opens the store of c for a command that only looks: a folder is left without a
// trace, locks and scratch files included, and need not be writable. One that is not there is an
// error.
func OpenReadOnly(ctx context.Context, c config.Store, local string) (s blob.Store, close func() error, err error) {
	if c.Kind == "s3" {
		return Open(ctx, c, local)
	}
	if c.Dir.Path != "" {
		local = c.Dir.Path
	}
	folder, err := dir.OpenReadOnly(local)
	if err != nil {
		return nil, nil, err
	}
	return folder, folder.Close, nil
}

// Options turns the settings of a bucket into those of its client.
func Options(c config.S3) (s3.Options, error) {
	o := s3.Options{
		Bucket: c.Bucket, Prefix: c.Prefix, Endpoint: c.Endpoint, Region: c.Region, PathStyle: c.PathStyle, Checksums: s3.Checksums(c.Checksums),
		ServerSideEncryption: c.SSE, KMSKeyID: c.SSEKMSKeyID,
		AccessKey: c.AccessKeyID, SecretKey: c.SecretAccessKey.Reveal(), SessionToken: c.SessionToken.Reveal(),
	}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return o, fmt.Errorf("read store.s3.ca_file: %w", err)
		}
		o.CA = pem
	}
	return o, nil
}
