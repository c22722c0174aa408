package mif

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pamline/pamline/pamio"
)

// Limits of YAML: nodes counts aliases as often as they are used.
const (
	maxYAML      = 64 << 20
	maxYAMLNodes = 2_000_000
	maxYAMLDepth = 200
)

// yamlToJSON reads one YAML document of the safe part: no tags, no merge keys, no keys but strings,
// and aliases only as far as the limits allow. Times stay the strings that they are written as.
func yamlToJSON(src []byte) ([]byte, error) {
	if len(src) > maxYAML {
		return nil, fmt.Errorf("%w: YAML larger than %d bytes", ErrUnsafe, maxYAML)
	}
	in := yaml.NewDecoder(strings.NewReader(string(src)))
	var doc, more yaml.Node
	if err := in.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w: neither JSON nor YAML", ErrNotMIF)
	}
	if err := in.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more than one document", ErrUnsafe)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%w: neither JSON nor a YAML mapping", ErrNotMIF)
	}
	y := &yamlWriter{}
	if err := y.value(doc.Content[0], 0); err != nil {
		return nil, err
	}
	return y.out, nil
}

type yamlWriter struct {
	out   []byte
	nodes int
}

func (y *yamlWriter) value(n *yaml.Node, depth int) error {
	if y.nodes++; y.nodes > maxYAMLNodes || depth > maxYAMLDepth {
		return fmt.Errorf("%w: too many values, or nested too deeply", ErrUnsafe)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return fmt.Errorf("%w: line %d has a tag", ErrUnsafe, n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return y.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		y.out = append(y.out, '[')
		for i, item := range n.Content {
			if i > 0 {
				y.out = append(y.out, ',')
			}
			if err := y.value(item, depth+1); err != nil {
				return err
			}
		}
		y.out = append(y.out, ']')
		return nil
	case yaml.MappingNode:
		return y.mapping(n, depth)
	default:
		return y.scalar(n)
	}
}

func (y *yamlWriter) mapping(n *yaml.Node, depth int) error {
	y.out = append(y.out, '{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			return fmt.Errorf("%w: line %d has a key that is not a string", ErrUnsafe, key.Line)
		}
		if i > 0 {
			y.out = append(y.out, ',')
		}
		y.out = append(pamio.AppendString(y.out, key.Value), ':')
		if err := y.value(n.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	y.out = append(y.out, '}')
	return nil
}

func (y *yamlWriter) scalar(n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null":
		y.out = append(y.out, "null"...)
	case "!!bool":
		y.out = append(y.out, strings.ToLower(n.Value)...)
	case "!!int":
		v, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64)
		if err != nil {
			return fmt.Errorf("%w: line %d has an integer that is too large", ErrUnsafe, n.Line)
		}
		y.out = strconv.AppendInt(y.out, v, 10)
	case "!!float":
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return fmt.Errorf("%w: line %d has a number that is not finite", ErrUnsafe, n.Line)
		}
		y.out = strconv.AppendFloat(y.out, v, 'g', -1, 64)
	case "!!str", "!!timestamp":
		y.out = pamio.AppendString(y.out, n.Value)
	default:
		return fmt.Errorf("%w: line %d has a value of another type", ErrUnsafe, n.Line)
	}
	return nil
}
