// Package sarif writes findings of a validation in the Static Analysis Results Interchange Format,
// version 2.1.0, which code hosts and editors show beside the files.
package sarif

import (
	"net/url"
	"path"
	"path/filepath"

	"github.com/pamline/pamline/pamio/validate"
)

// Result is the outcome of one path that was validated.
type Result struct {
	// Path is as the person gave it. Bundle tells that files of the findings lie in it.
	Path     string
	Bundle   bool
	Findings []validate.Finding
	// Suppressed counts, by id, the findings that are not listed.
	Suppressed map[string]int64
	// Problem is why nothing could be validated, "" if something was.
	Problem string
}

// The parts of a log that are used here (SARIF §3).
type (
	Log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []Run  `json:"runs"`
	}
	Run struct {
		Tool        Tool         `json:"tool"`
		Invocations []Invocation `json:"invocations"`
		Results     []Finding    `json:"results"`
		ColumnKind  string       `json:"columnKind"`
	}
	Tool struct {
		Driver Driver `json:"driver"`
	}
	Driver struct {
		Name           string `json:"name"`
		InformationURI string `json:"informationUri"`
		Rules          []Rule `json:"rules"`
	}
	Rule struct {
		ID               string        `json:"id"`
		ShortDescription Text          `json:"shortDescription"`
		Default          Configuration `json:"defaultConfiguration"`
		Properties       *Properties   `json:"properties,omitempty"`
	}
	Text struct {
		Text string `json:"text"`
	}
	Configuration struct {
		Level string `json:"level"`
	}
	Properties struct {
		// Section of the PAM specification.
		Section string `json:"section"`
	}
	Invocation struct {
		ExecutionSuccessful bool           `json:"executionSuccessful"`
		Notifications       []Notification `json:"toolExecutionNotifications,omitempty"`
	}
	Notification struct {
		Level     string     `json:"level"`
		Message   Text       `json:"message"`
		Locations []Location `json:"locations,omitempty"`
	}
	Finding struct {
		RuleID    string     `json:"ruleId"`
		RuleIndex int        `json:"ruleIndex"`
		Level     string     `json:"level"`
		Message   Text       `json:"message"`
		Locations []Location `json:"locations"`
	}
	Location struct {
		Physical Physical  `json:"physicalLocation"`
		Logical  []Logical `json:"logicalLocations,omitempty"`
	}
	Physical struct {
		Artifact Artifact `json:"artifactLocation"`
		Region   *Region  `json:"region,omitempty"`
	}
	Artifact struct {
		URI string `json:"uri"`
	}
	Region struct {
		ByteOffset int64 `json:"byteOffset"`
		ByteLength int64 `json:"byteLength"`
	}
	Logical struct {
		// Name is the JSON pointer of the value.
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// levels are the words of SARIF for our severities.
var levels = map[validate.Severity]string{validate.Info: "note", validate.Warning: "warning", validate.Error: "error"}

// New is the log of a validation. strict chooses which severities the rules have.
func New(results []Result, strict bool) *Log {
	run := Run{
		Tool:       Tool{Driver{Name: "pamline", InformationURI: "https://github.com/pamline/pamline"}},
		Results:    []Finding{},
		ColumnKind: "utf16CodeUnits",
	}
	index := map[string]int{}
	for i, c := range validate.Catalog() {
		severity := c.Severity
		if strict {
			severity = c.Strict
		}
		rule := Rule{ID: c.ID, ShortDescription: Text{c.Meaning}, Default: Configuration{levels[severity]}}
		if c.Section != "" {
			rule.Properties = &Properties{c.Section}
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		index[c.ID] = i
	}
	invocation := Invocation{ExecutionSuccessful: true}
	for _, r := range results {
		for _, f := range r.Findings {
			rule, ok := index[f.ID]
			if !ok {
				rule = -1 // a check of another format than PAM
			}
			run.Results = append(run.Results, Finding{f.ID, rule, levels[f.Severity], Text{f.Message}, []Location{r.location(f)}})
		}
		whole := []Location{{Physical: Physical{Artifact: Artifact{fileURI(r.Path)}}}}
		if r.Problem != "" {
			invocation.ExecutionSuccessful = false
			invocation.Notifications = append(invocation.Notifications, Notification{"error", Text{r.Problem}, whole})
		}
		if n := sumCounts(r.Suppressed); n > 0 {
			text := "Some findings occur too often to be listed one by one; pamline validate counts them all."
			invocation.Notifications = append(invocation.Notifications, Notification{"note", Text{text}, whole})
		}
	}
	run.Invocations = []Invocation{invocation}
	return &Log{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []Run{run}}
}

func sumCounts(counts map[string]int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

func (r Result) location(f validate.Finding) Location {
	name := fileURI(r.Path)
	if r.Bundle && f.File != "" && f.File != filepath.Base(r.Path) {
		name = path.Join(name, fileURI(f.File))
	}
	l := Location{Physical: Physical{Artifact: Artifact{name}}}
	if f.Offset >= 0 {
		l.Physical.Region = &Region{ByteOffset: f.Offset}
	}
	if f.Pointer != "" {
		l.Logical = []Logical{{f.Pointer, "member"}}
	}
	return l
}

// fileURI is a path as a relative reference, or an absolute one for an absolute path.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(filepath.Clean(name))}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}
