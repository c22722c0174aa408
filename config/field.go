package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EnvPrefix starts the name of every setting in the environment.
const EnvPrefix = "PAMLINE_"

// Field describes one setting, or a section of them.
type Field struct {
	// Key is the path of keys: limits.max_conversation.
	Key string
	// Type is text, whole number, number, yes or no, size, duration, secret, file or section.
	Type string
	// Default is the default as it would be written; "" when there is none.
	Default string
	// Unit says what a whole number counts; "" when the explanation does.
	Unit string
	// OneOf are the accepted values of a text, none when any is.
	OneOf []string
	// Min is the smallest accepted value as it would be written, "" when there is none.
	Min string
	// Doc is the explanation.
	Doc string

	index []int
}

// Env is the name of the setting in the environment: PAMLINE_LIMITS__MAX_CONVERSATION.
func (f Field) Env() string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(f.Key, ".", "__"))
}

// Fields lists the settings in the order of the struct, each section before its fields.
func Fields() []Field { return fieldsOf(reflect.TypeFor[Config](), "", nil) }

func fieldsOf(t reflect.Type, prefix string, index []int) []Field {
	var out []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(append([]int(nil), index...), i)
		f := Field{
			Key:     prefix + sf.Tag.Get("koanf"),
			Type:    typeName(sf),
			Default: sf.Tag.Get("default"),
			Unit:    sf.Tag.Get("unit"),
			OneOf:   strings.Fields(sf.Tag.Get("oneof")),
			Min:     sf.Tag.Get("min"),
			Doc:     sf.Tag.Get("doc"),
			index:   at,
		}
		out = append(out, f)
		if f.Type == "section" {
			out = append(out, fieldsOf(sf.Type, f.Key+".", at)...)
		}
	}
	return out
}

func typeName(sf reflect.StructField) string {
	switch {
	case sf.Type == reflect.TypeFor[Size]():
		return "size"
	case sf.Type == reflect.TypeFor[time.Duration]():
		return "duration"
	case sf.Type == reflect.TypeFor[Secret]():
		return "secret"
	case sf.Tag.Get("file") != "":
		return "file"
	}
	switch sf.Type.Kind() {
	case reflect.Int:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "yes or no"
	case reflect.Struct:
		return "section"
	}
	return "text"
}

// in is the field's place in a configuration.
func (f Field) in(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(f.index) }

// set stores a value that a file, the environment or the command line gave. Text is read by the
// field's type; a file may also give numbers and booleans as such.
func (f Field) set(c *Config, value any) error {
	text, isText := value.(string)
	if !isText {
		switch f.Type {
		case "number":
			switch value.(type) {
			case int, int64, uint64, float64:
				text = fmt.Sprint(value)
			default:
				return fmt.Errorf("wants a number")
			}
		case "whole number", "size", "yes or no":
			switch value.(type) {
			case int, int64, uint64, bool:
				text = fmt.Sprint(value)
			default:
				return fmt.Errorf("wants a %s", f.Type)
			}
		case "duration":
			return fmt.Errorf("wants a duration with its unit, such as 3s or 1m30s")
		default:
			// A choice may have true and false beside others.
			if text = fmt.Sprint(value); !slices.Contains(f.OneOf, text) {
				return fmt.Errorf("wants text: put the value in quotes")
			}
		}
	}
	v := f.in(c)
	switch f.Type {
	case "size":
		n, err := ParseSize(text)
		if err != nil {
			return err
		}
		v.SetInt(int64(n))
	case "duration":
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%q is not a duration: write it with its unit, such as 3s or 1m30s", text)
		}
		v.SetInt(int64(d))
	case "whole number":
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		v.SetInt(int64(n))
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return fmt.Errorf("%q is not a number", text)
		}
		v.SetFloat(n)
	case "yes or no":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		v.SetBool(b)
	case "secret":
		v.Set(reflect.ValueOf(NewSecret(text)))
	default:
		v.SetString(text)
	}
	return nil
}

// text is the field's value as it would be written, secrets hidden.
func (f Field) text(c *Config) string {
	v := f.in(c)
	if d, ok := v.Interface().(time.Duration); ok {
		return durationText(d)
	}
	return fmt.Sprint(v.Interface())
}

// durationText drops the zero tails of Duration.String: 1m instead of 1m0s.
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
