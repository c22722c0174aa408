// Package logging makes the logger of a process. What is logged are ids, counts, times and reasons,
// never the text of conversations or memories, names, titles, or secrets.
package logging

import (
	"fmt"
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Auto is the level of a process whose user chose none: info in a service, none in a command that
// reports by itself.
const Auto = "auto"

// New makes the logger of a service that writes to w. Level is auto (info), debug, info, warn or
// error; format is json, console or auto, which is console on a terminal.
func New(w io.Writer, level, format string, terminal bool) (*zap.Logger, error) {
	if level == Auto {
		level = "info"
	}
	least, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("set log.level: %w", err)
	}
	shape := zap.NewProductionEncoderConfig()
	shape.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	shape.EncodeDuration = zapcore.StringDurationEncoder
	shape.TimeKey, shape.MessageKey = "time", "message"
	var encoder zapcore.Encoder
	switch {
	case format == "json", format == "auto" && !terminal:
		encoder = zapcore.NewJSONEncoder(shape)
	case format == "console", format == "auto":
		shape.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05")
		shape.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(shape)
	default:
		return nil, fmt.Errorf("set log.format: %q is not auto, console or json", format)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), least)), nil
}
