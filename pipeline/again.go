package pipeline

import (
	"fmt"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
)

// ReplayOptions returns the options of a replay that a Client has done.
func (o Options) ReplayOptions(want job.Want) replay.Options {
	o.Store = objects.ClassedStore{Store: o.Store}
	return replay.Options{Store: o.Store, Ingest: o.ingest(), Want: want}
}

// DryRunStages returns the options of the stages of a dry run. Their store is replaced.
func (o Options) DryRunStages() replay.Stages {
	o.Reading.Estimate = true
	return replay.Stages{Ingest: o.ingest(), Extraction: o.extraction(), Publish: o.publish()}
}

// ReadingID names how a pipeline with these options reads drops when nothing is pinned: the
// importers and their rules, limits, extractors and embeddings. Pipelines of one id read alike.
func (o Options) ReadingID() (string, error) {
	i := o.ingest()
	reading, err := i.Reading("")
	if err != nil {
		return "", err
	}
	extractors, err := state.SelectExtractors(i.Extractors, nil)
	if err != nil {
		return "", err
	}
	return objects.Digest(fmt.Sprintf("%s\n%+v %d\n%v\n%s\n", reading, i.Limits.Units(), i.Limits.AssetLimit(), state.ExtractorVersions(extractors), i.Embeddings)), nil
}
