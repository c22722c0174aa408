// Package s3 keeps objects in an S3 bucket, of AWS or of a server that speaks its protocol.
//
// # Conditional writes
//
// IfAbsent is If-None-Match: *, IfMatch is If-Match. The SDK's own retries are off for both: after
// a lost response it would send the request again and take the 412 of its own success for a lost
// race. Each write carries a nonce in its metadata; after a 412 the object is asked for its nonce
// before the answer is believed. 409 means that the server could not decide and is tried again. A
// 404 for IfMatch is a failed condition too. Whether a server keeps its word is for
// [blob.ProbeConditions] to find out: not all do.
//
// # Uploads
//
// A body of less than Options.PartSize is buffered and sent as one PutObject; a longer one, or one
// of unknown length, goes through the transfer manager as a multipart upload, which holds up to
// Concurrency + 3 parts in memory. Uploads that fail are aborted; those of a killed process stay on
// the server, so give the bucket a rule that aborts incomplete ones.
//
// # Reading
//
// A body that breaks off is opened again where it stopped, with If-Match, after a pause; only
// failures without progress in between count. An early end is a failure. An object that was
// replaced meanwhile gives [blob.ErrChanged].
//
// # Checksums
//
// The SDK adds CRC32 checksums, which several S3-compatible servers refuse. So "auto" sends them to
// AWS only and leaves them out for a custom endpoint, for client and uploader alike.
//
// # Clocks
//
// A signature is refused when the clocks are a quarter of an hour apart. The SDK then takes the
// server's time from the answer and signs the next try with it, and calls the refusal transient,
// which conditional writes follow, too.
//
// # Tags
//
// The ETag is the server's: MD5 of the content or of the parts' MD5s, unless the server encrypts.
package s3
