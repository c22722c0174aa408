// Command ingest is the ingest worker of pamline.
package main

import (
	"os"

	"github.com/pamline/pamline/cmd/internal/worker"
	"github.com/pamline/pamline/pipeline"
)

func main() { os.Exit(worker.Main(pipeline.StageIngest, os.Args[1:], os.Stderr)) }
