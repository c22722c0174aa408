package inbox

import (
	"fmt"
	"strconv"
	"strings"
)

// awsRecord is a record as AWS writes it.
func awsRecord(name, bucket, key string) string {
	return fmt.Sprintf(`{"eventVersion":"2.6","eventSource":"aws:s3","awsRegion":"eu-central-1","eventTime":"2026-05-01T12:00:00.000Z","eventName":%q,`+
		`"s3":{"s3SchemaVersion":"1.0","configurationId":"x","bucket":{"name":%q,"arn":"arn:aws:s3:::b"},`+
		`"object":{"key":%q,"size":7,"eTag":"d41d","versionId":"v","sequencer":"0055AED6DCD90281E5"}}}`, name, bucket, key)
}

// notificationOf is one of AWS about new objects of the bucket.
func notificationOf(keys ...string) string {
	var records []string
	for _, key := range keys {
		records = append(records, awsRecord("ObjectCreated:Put", "drops", key))
	}
	return `{"Records":[` + strings.Join(records, ",") + `]}`
}

// formsOf are notifications of one new object in all known forms. escaped is the key as forms
// escape it.
func formsOf(bucket, key, escaped string) map[string]string {
	forms := map[string]string{
		"aws": `{"Records":[` + awsRecord("ObjectCreated:Put", bucket, escaped) + `]}`,
		"versitygw": fmt.Sprintf(`{"Records":[{"eventVersion":"2.2","eventSource":"aws:s3","eventName":"s3:ObjectCreated:CompleteMultipartUpload",`+
			`"s3":{"configurationId":"nats-global","bucket":{"name":%q},"object":{"key":%q,"size":0,"eTag":"\"x\"","versionId":null,"sequencer":"12"}},"glacierEventData":{}}]}`, bucket, key),
		"minio": fmt.Sprintf(`{"EventName":"s3:ObjectCreated:Put","Key":%q,"Records":[{"eventSource":"minio:s3","eventName":"s3:ObjectCreated:Put",`+
			`"s3":{"bucket":{"name":%q},"object":{"key":%q,"size":7}}}]}`, bucket+"/"+key, bucket, escaped),
		"ceph": fmt.Sprintf(`{"Records":[{"eventVersion":"2.2","eventSource":"ceph:s3","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":%q,"id":"x"},`+
			`"object":{"key":%q,"size":"7","etag":"x","metadata":[]}},"eventId":"1.2","opaqueData":""}]}`, bucket, escaped),
		"eventbridge": fmt.Sprintf(`{"version":"0","source":"aws.s3","detail-type":"Object Created","detail":{"version":"0","bucket":{"name":%q},"object":{"key":%q,"size":7},"reason":"PutObject"}}`, bucket, key),
	}
	for _, name := range []string{"aws", "eventbridge"} {
		forms["sns of "+name] = `{"Type":"Notification","Message":` + strconv.Quote(forms[name]) + `}`
		forms["sqs of "+name] = `{"messageId":"1","body":` + strconv.Quote(forms[name]) + `}`
		forms["sqs of sns of "+name] = `{"Body":` + strconv.Quote(forms["sns of "+name]) + `}`
		forms["lambda of sqs of "+name] = `{"Records":[` + forms["sqs of "+name] + `]}`
		forms["lambda of sns of "+name] = `{"Records":[{"EventSource":"aws:sns","Sns":` + forms["sns of "+name] + `}]}`
	}
	return forms
}

// eventKeys gives the entries that a notification leads to, with their owners.
func eventKeys(r *rig, text string) (out []string, err error) {
	found, err := r.eventEntries([]byte(text))
	for _, l := range found {
		out = append(out, l.owner+" "+l.entry)
	}
	return out, err
}
