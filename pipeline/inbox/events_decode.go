package inbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// bucketEvent is what a notification says of one object.
type bucketEvent struct {
	name   string // ObjectCreated:Put, ObjectRemoved:Delete, …
	bucket string
	// keys are the possible names of the object. Some servers escape names like forms, others send
	// them as they are, and nothing else in the notification tells which.
	keys []string
}

// isCreated tells whether the object is new or has been replaced.
func (e bucketEvent) isCreated() bool { return strings.HasPrefix(e.name, "ObjectCreated") }

const (
	// maxEnvelopes is how many envelopes and lists of records may be around an event: an event of
	// AWS in the queue of a topic that a function forwards has four.
	maxEnvelopes = 4
	testEvent    = "s3:TestEvent"
)

// errUnknownEvent never has the words of the decoder, which could quote a name.
var errUnknownEvent = errors.New("decode notification: it has none of the known forms")

// notification has everything that is at the top of a known form, or in one of its records.
type notification struct {
	Records []json.RawMessage `json:"Records"`
	// Event is that of a test message. EventName is that of a record; MinIO has it at the top, too.
	Event     string `json:"Event"`
	EventName string `json:"eventName"`
	S3        *s3Object
	// Message is the envelope of SNS, Body that of SQS, and SNS that of SNS to a function.
	Message string                    `json:"Message"`
	Body    string                    `json:"body"`
	SNS     *struct{ Message string } `json:"Sns"`
	// DetailType and Detail are EventBridge's.
	DetailType string    `json:"detail-type"`
	Detail     *s3Object `json:"detail"`
}

// s3Object names an object. Sizes come as numbers or strings, or as 0, and are not read.
type s3Object struct {
	Bucket struct{ Name string }
	Object struct{ Key string }
}

func (o *s3Object) isNamed() bool { return o != nil && o.Bucket.Name != "" && o.Object.Key != "" }

// decodeEvents reads a notification of a bucket: the records of AWS, which versitygw, MinIO and
// Ceph send with small differences, the form of EventBridge, and the test message that some servers
// send; each as it is or in envelopes of SNS and SQS.
func decodeEvents(data []byte) ([]bucketEvent, error) { return decodeLevel(data, maxEnvelopes) }

func decodeLevel(data []byte, envelopes int) (out []bucketEvent, err error) {
	var n notification
	if envelopes < 0 {
		return nil, fmt.Errorf("decode notification: it is in more than %d envelopes", maxEnvelopes)
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, errUnknownEvent
	}
	inner := n.Message + n.Body
	if n.SNS != nil {
		inner += n.SNS.Message
	}
	switch {
	case n.Records != nil:
		for _, record := range n.Records {
			events, err := decodeLevel(record, envelopes-1)
			if err != nil {
				return nil, err
			}
			out = append(out, events...)
		}
		return out, nil
	case n.S3 != nil:
		return n.ofRecord()
	case n.Event == testEvent || n.EventName == testEvent:
		return nil, nil
	case inner != "":
		return decodeLevel([]byte(inner), envelopes-1)
	case n.Detail.isNamed():
		name := strings.ReplaceAll(n.DetailType, " ", "")
		return []bucketEvent{{name, n.Detail.Bucket.Name, []string{n.Detail.Object.Key}}}, nil
	}
	return nil, errUnknownEvent
}

// ofRecord gives the event of one record.
func (n notification) ofRecord() ([]bucketEvent, error) {
	if !n.S3.isNamed() || n.EventName == "" {
		return nil, errUnknownEvent
	}
	key := n.S3.Object.Key
	e := bucketEvent{strings.TrimPrefix(n.EventName, "s3:"), n.S3.Bucket.Name, []string{key}}
	if plain, err := url.QueryUnescape(key); err == nil && plain != key {
		e.keys = []string{plain, key}
	}
	return []bucketEvent{e}, nil
}
