package embed

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

// request is the body of a question.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
	Format     string   `json:"encoding_format"`
}

// response is what of an answer is read.
type response struct {
	Data  []item `json:"data"`
	Usage struct {
		Prompt int64 `json:"prompt_tokens"`
	} `json:"usage"`
}

type item struct {
	Index     *int   `json:"index"`
	Embedding vector `json:"embedding"`
}

// vector is read in both encodings: a list of numbers, or base64 of little-endian 32-bit floats,
// which some servers send whatever was asked for.
type vector []float32

var errNoVector = errors.New("a vector is neither a list of numbers nor base64 of them")

// UnmarshalJSON refuses numbers beyond the range of 32 bits, and null.
func (v *vector) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil && len(b) > 0 && b[0] == '"' {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw)%4 != 0 {
			return errNoVector
		}
		*v = make(vector, len(raw)/4)
		for i := range *v {
			(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return nil
	}
	var list []*float64
	if len(b) == 0 || b[0] != '[' || json.Unmarshal(b, &list) != nil {
		return errNoVector
	}
	*v = make(vector, len(list))
	for i, x := range list {
		if x == nil || math.Abs(*x) > math.MaxFloat32 {
			return errNoVector
		}
		(*v)[i] = float32(*x)
	}
	return nil
}
