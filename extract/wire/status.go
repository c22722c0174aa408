package wire

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// StatusError is an answer that is none: a status other than 2xx, or an error in the body of a 2xx.
type StatusError struct {
	Status int
	// Type, Code and Param are short names out of the body, as services give them
	// ("invalid_request_error", "context_length_exceeded", "response_format"); "" when there are
	// none or they are more than a name.
	Type, Code, Param string
	// Message is the service's explanation, at most 2 KiB, without the key. It may quote what was
	// sent: for decisions, never for a log.
	Message string
	// RequestID is what the service calls the request, for its support.
	RequestID string
	header    http.Header
}

// Error shows names and numbers only.
func (e *StatusError) Error() string {
	var b strings.Builder
	b.WriteString("service answered " + strconv.Itoa(e.Status))
	if text := http.StatusText(e.Status); text != "" {
		b.WriteString(" " + text)
	}
	for _, f := range [][2]string{{"type", e.Type}, {"code", e.Code}, {"param", e.Param}, {"request", e.RequestID}} {
		if f[1] != "" {
			b.WriteString(", " + f[0] + " " + f[1])
		}
	}
	return b.String()
}

// statusKind is what a status means for who asks.
type statusKind struct {
	service bool // it is about the service, not about this request
	again   bool // the same request may succeed later
	hint    string
}

var statusKinds = map[int]statusKind{
	301: {service: true, hint: "The address moved. Set the new one; a redirect is not followed, as the key would go along."},
	401: {service: true, hint: "The service does not take the key. Check the key, and that it is for this address."},
	402: {service: true, hint: "The service wants to be paid. Check the account's credit."},
	403: {service: true, hint: "The key may not do this. Check what it is allowed to, and whether the model is open to the account."},
	404: {service: true, hint: "The address or the model does not exist there. Check both; most addresses end with /v1."},
	405: {service: true, hint: "The address is not that of such an API. Most end with /v1."},
	410: {service: true, hint: "The model or the address is no longer served. Set another one."},
	408: {service: true, again: true, hint: "The service gave up waiting. Try again later."},
	409: {service: true, again: true, hint: "The service is busy with another request. Try again later."},
	425: {service: true, again: true, hint: "Try again later."},
	429: {service: true, again: true, hint: "Too many requests. Ask less at a time, or try again later."},
	500: {service: true, again: true, hint: "The service has a problem. Try again later."},
}

// noCredit are the names under which a 429 means that waiting does not help.
var noCredit = map[string]bool{"insufficient_quota": true, "billing_hard_limit_reached": true, "billing_not_active": true, "insufficient_balance": true, "credit_balance_too_low": true}

func (e *StatusError) kind() statusKind {
	status := e.Status
	switch {
	case status/100 == 3:
		status = 301
	case status >= 500:
		status = 500
	}
	if status == 429 && (noCredit[e.Code] || noCredit[e.Type]) {
		status = 402
	}
	return statusKinds[status]
}

// statusError reads the body of an error: OpenAI's and Anthropic's {"error": {type, code, message,
// param}}, {"error": "text"} of small servers, or {"message": "text"}.
func (c *Client) statusError(resp *http.Response, body []byte) *StatusError {
	e := &StatusError{Status: resp.StatusCode, header: resp.Header, RequestID: name(c.redact(resp.Header.Get("X-Request-Id")))}
	if e.RequestID == "" {
		e.RequestID = name(c.redact(resp.Header.Get("Request-Id")))
	}
	var doc struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return e
	}
	var inner struct {
		Type, Code, Param, Message json.RawMessage
	}
	if json.Unmarshal(doc.Error, &inner) == nil {
		e.Type, e.Code, e.Param = name(c.redact(text(inner.Type))), name(c.redact(text(inner.Code))), name(c.redact(text(inner.Param)))
		doc.Message = inner.Message
	} else if t := text(doc.Error); t != "" {
		e.Message = t
	}
	for _, m := range []json.RawMessage{doc.Message, doc.Detail} {
		if e.Message == "" {
			e.Message = text(m)
		}
	}
	e.Message = c.redact(e.Message)
	return e
}

// wrapped finds an error in the body of a good status, as proxies in front of several services send
// it: {"error": {…}} and no answer.
func (c *Client) wrapped(resp *http.Response, body []byte) error {
	var doc map[string]json.RawMessage
	if json.Unmarshal(body, &doc) != nil || len(doc["error"]) == 0 || doc["error"][0] != '{' && doc["error"][0] != '"' {
		return nil
	}
	for _, key := range []string{"id", "object", "choices", "content", "data"} {
		if doc[key] != nil {
			return nil
		}
	}
	e := c.statusError(resp, body)
	e.Status = http.StatusBadGateway
	if n, err := strconv.Atoi(e.Code); err == nil && n >= 400 && n < 600 {
		e.Status = n
	}
	return e
}

// text is a JSON text or number as text.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// name is s when it is a name: short, without spaces.
func name(s string) string {
	if len(s) > 80 {
		return ""
	}
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && !strings.ContainsRune("_-.:/[]", rune(c)) {
			return ""
		}
	}
	return s
}

// redact takes the client's secrets out of a text and cuts it.
func (c *Client) redact(s string) string {
	for _, secret := range c.secrets {
		s = strings.ReplaceAll(s, secret, "[redacted]")
	}
	const longest = 2 << 10
	if len(s) <= longest {
		return s
	}
	end := longest
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
