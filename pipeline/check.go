package pipeline

import "github.com/pamline/pamline/pipeline/check"

// CheckOptions returns the options of a check of the store. Its repairs ask no service.
func (o Options) CheckOptions() check.Options {
	return check.Options{Store: o.Store, Parallel: max(1, o.Resources.Workers), Ingest: o.ingest(), Extraction: o.extraction(), Publish: o.publish(), Log: o.Reports.Log}
}
