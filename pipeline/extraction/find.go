package extraction

import (
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// Finder gives the function that finds the candidates of documents which somebody has in memory:
// together they are the complete result of their shard, byte for byte as [ExtractShard] writes it.
// It is nil if the extractors or the vectors of the import need an answer of a service.
func (o Options) Finder(extractors []extract.Extractor, embeddings string) state.Find {
	if embeddings != "" || o.Estimate {
		return nil
	}
	for _, e := range extractors {
		if _, asks := e.(extract.Asking); asks {
			return nil
		}
	}
	return func(conversation *pamio.Conversation, doc []byte, source int, file string) (state.Findings, error) {
		f := finder{extractors: extractors}
		var err error
		if conversation == nil {
			err = f.readRecord(doc, source, file)
		} else {
			err = f.readConversation(conversation, doc, source, file)
		}
		return f.Findings, err
	}
}

// finder collects what extractors make of documents.
type finder struct {
	state.Findings
	extractors []extract.Extractor
	// read gives what an extractor makes of the answers of its service; nil if none has one.
	read func(extract.Asking, *pamio.Conversation) ([]normalize.Candidate, extract.Report, error)
}

// readConversation adds the candidates of a conversation, which is parsed only if it is nil and an
// extractor wants it.
func (f *finder) readConversation(parsed *pamio.Conversation, doc []byte, source int, file string) (err error) {
	for _, e := range f.extractors {
		if !extract.Wants(e, doc) {
			continue
		}
		if parsed == nil {
			if parsed, err = pamio.ParseConversation(doc); err != nil {
				return err
			}
		}
		var found []normalize.Candidate
		var report extract.Report
		if asking, asks := e.(extract.Asking); asks {
			if found, report, err = f.read(asking, parsed); err != nil {
				return err
			}
		} else {
			found, report = e.Extract(parsed, doc)
		}
		f.add(found, report, source, file)
	}
	return nil
}

// readRecord adds the candidates of a record.
func (f *finder) readRecord(doc []byte, source int, file string) error {
	r, err := extract.ParseRecord(doc)
	if err != nil {
		return err
	}
	if extract.IsAdopted(r.Kind) {
		return f.adopt(&r, source, file)
	}
	for _, e := range f.extractors {
		if records, ok := e.(extract.RecordExtractor); ok {
			found, report := records.ExtractRecord(&r)
			for i := range found {
				state.ListIn(&found[i], source)
			}
			f.add(found, report, source, file)
		}
	}
	return nil
}

// adopt adds an element of another store as it is. A memory that tells a secret becomes private.
func (f *finder) adopt(r *extract.Record, source int, file string) error {
	if r.Kind == extract.RecordPAMMemory {
		f.Count++
		element, reason, err := restrictSecrets(r.Raw)
		if err != nil {
			return err
		}
		if r.Raw = element; reason != "" {
			f.CountReject(state.RestrictedPrefix+reason, 1)
		}
	}
	f.add([]normalize.Candidate{extract.Adopt(r)}, extract.Report{}, source, file)
	return nil
}

// add adds the candidates and rejects of an extractor. The evidence of records names the member.
func (f *finder) add(found []normalize.Candidate, report extract.Report, source int, file string) {
	for reason, n := range report.Skipped {
		f.CountReject(reason, n)
	}
	for i := range report.Rejects {
		if r := &report.Rejects[i]; r.Conversation == "" {
			r.Member = file
		}
		f.Rejects = report.Rejects[i].AppendLine(f.Rejects)
	}
	extract.Finish(found)
	for i := range found {
		state.ObserveIn(&found[i], source)
		if found[i].Act == "" {
			f.Count++
		}
		for k := range found[i].Evidence {
			if e := &found[i].Evidence[k]; e.Pointer != "" || e.Conversation == "" {
				e.Member = file
			}
		}
		f.Candidates = extract.AppendCandidate(f.Candidates, &found[i])
	}
}
