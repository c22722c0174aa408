package embed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/pamline/pamline/pamio"
)

// Line is a recorded vector.
type Line struct {
	// Hash is the content hash of the text (PAM §6.2).
	Hash   string
	Model  string
	Vector []float32
}

// AppendLine writes a vector as one line of JSON with its end: {"hash": …, "model": …,
// "dimensions": …, "vector": […]}. Its numbers are the shortest decimals that give the same 32-bit
// floats, so that the same vector is the same line.
func AppendLine(b []byte, l *Line) []byte {
	b = append(b, `{"hash":`...)
	b = pamio.AppendString(b, l.Hash)
	b = append(b, `,"model":`...)
	b = pamio.AppendString(b, l.Model)
	b = append(b, `,"dimensions":`...)
	b = strconv.AppendInt(b, int64(len(l.Vector)), 10)
	b = append(b, `,"vector":[`...)
	for i, x := range l.Vector {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, x)
	}
	return append(b, "]}\n"...)
}

// appendNumber writes a number as encoding/json does.
func appendNumber(b []byte, x float32) []byte {
	format := byte('f')
	if abs := math.Abs(float64(x)); abs != 0 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, float64(x), format, -1, 32)
}

// ParseLine reads what AppendLine wrote, and refuses what it would not write of a client's vectors.
func ParseLine(line []byte) (Line, error) {
	var raw struct {
		Hash       string    `json:"hash"`
		Model      string    `json:"model"`
		Dimensions int       `json:"dimensions"`
		Vector     []float32 `json:"vector"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&raw); err != nil {
		return Line{}, fmt.Errorf("read recorded vector: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Line{}, errors.New("read recorded vector: there is more behind it")
	}
	switch {
	case raw.Hash == "" || raw.Model == "":
		return Line{}, errors.New("read recorded vector: hash or model is missing")
	case len(raw.Vector) == 0 || raw.Dimensions != len(raw.Vector):
		return Line{}, fmt.Errorf("read recorded vector: %d numbers instead of %d", len(raw.Vector), raw.Dimensions)
	}
	if err := check(raw.Vector); err != nil {
		return Line{}, fmt.Errorf("read recorded vector: it %w", err)
	}
	return Line{Hash: raw.Hash, Model: raw.Model, Vector: raw.Vector}, nil
}
