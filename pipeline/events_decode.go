package pipeline

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
	// keys are what the object may be called, the likeliest first: some servers escape keys as forms do, others send them
	// as they are, and they cannot be told apart by their other words.
	keys []string
}

// created tells whether there is an object now that was not there before.
func (e bucketEvent) created() bool { return strings.HasPrefix(e.name, "ObjectCreated") }

// maxEnvelope is how many envelopes may lie around a notification: a queue's around a topic's is two.
const maxEnvelope = 4

var errNoEvent = errors.New("decode notification: it has none of the known forms")

// decodeEvents reads a notification of a bucket: the records of AWS, which versitygw, MinIO and Ceph send with small differences,
// the form of EventBridge, and the test message that some send when they are set up; each as it is or in envelopes of SNS and SQS.
func decodeEvents(data []byte) ([]bucketEvent, error) { return decodeEnvelope(data, maxEnvelope) }

func decodeEnvelope(data []byte, depth int) ([]bucketEvent, error) {
	var m notification
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, errNoEvent // the decoder's own words could quote a name
	}
	if m.Records == nil && (m.Event == testEvent || m.EventName == testEvent) {
		return nil, nil
	}
	for _, inner := range []string{m.Message, m.Body, m.BodyLower} {
		if inner == "" || m.Records != nil {
			continue
		}
		if depth == 0 {
			return nil, fmt.Errorf("decode notification: it lies in more than %d envelopes", maxEnvelope)
		}
		return decodeEnvelope([]byte(inner), depth-1)
	}
	if m.Detail != nil {
		return m.bridge()
	}
	if m.Records == nil {
		return nil, errNoEvent
	}
	var out []bucketEvent
	for _, raw := range m.Records {
		list, err := decodeRecord(raw, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

const testEvent = "s3:TestEvent"

// notification is everything that stands at the top of the known forms.
type notification struct {
	Records []json.RawMessage `json:"Records"`
	// Event is that of a test message, EventName that of MinIO, which has Key as well and both again in its Records.
	Event     string `json:"Event"`
	EventName string `json:"EventName"`
	// Message is the envelope of SNS, Body and BodyLower that of SQS.
	Message   string `json:"Message"`
	Body      string `json:"Body"`
	BodyLower string `json:"body"`
	// DetailType and Detail are EventBridge's.
	DetailType string `json:"detail-type"`
	Detail     *struct {
		Bucket struct {
			Name string `json:"name"`
		} `json:"bucket"`
		Object struct {
			Key string `json:"key"`
		} `json:"object"`
	} `json:"detail"`
}

// bridge reads the form of EventBridge, which has keys as they are.
func (m notification) bridge() ([]bucketEvent, error) {
	if m.Detail.Object.Key == "" || m.Detail.Bucket.Name == "" {
		return nil, errNoEvent
	}
	e := bucketEvent{name: strings.ReplaceAll(m.DetailType, " ", ""), bucket: m.Detail.Bucket.Name, keys: []string{m.Detail.Object.Key}}
	return []bucketEvent{e}, nil
}

// decodeRecord reads one of Records: of an object, or an envelope again. Sizes, which come as numbers and as strings, and
// are 0 from some servers, are not read: the store is asked.
func decodeRecord(raw json.RawMessage, depth int) ([]bucketEvent, error) {
	var r struct {
		EventName string `json:"eventName"`
		S3        *struct {
			Bucket struct {
				Name string `json:"name"`
			} `json:"bucket"`
			Object struct {
				Key string `json:"key"`
			} `json:"object"`
		} `json:"s3"`
		SNS *struct {
			Message string `json:"Message"`
		} `json:"Sns"`
		Body string `json:"body"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, errNoEvent
	}
	inner := r.Body
	if r.SNS != nil {
		inner = r.SNS.Message
	}
	switch {
	case r.S3 == nil && inner != "" && depth > 0:
		return decodeEnvelope([]byte(inner), depth-1)
	case r.S3 == nil, r.EventName == "", r.S3.Object.Key == "", r.S3.Bucket.Name == "":
		return nil, errNoEvent
	}
	e := bucketEvent{name: strings.TrimPrefix(r.EventName, "s3:"), bucket: r.S3.Bucket.Name, keys: []string{r.S3.Object.Key}}
	if plain, err := url.QueryUnescape(r.S3.Object.Key); err == nil && plain != r.S3.Object.Key {
		e.keys = []string{plain, r.S3.Object.Key}
	}
	return []bucketEvent{e}, nil
}
