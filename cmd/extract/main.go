// Command extract is the extract worker of pamline.
package main

import (
	"os"

	"github.com/pamline/pamline/cmd/internal/worker"
	"github.com/pamline/pamline/pipeline"
)

func main() { os.Exit(worker.Main(pipeline.StageExtract, os.Args[1:], os.Stderr)) }
