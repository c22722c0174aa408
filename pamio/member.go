package pamio

import "strconv"

// The functions here append one member to an object that is being written; dst ends with its "{" or
// with the last byte of its previous member.

func appendKey(dst []byte, key string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, key...)
	return append(dst, '"', ':')
}

func appendMember(dst []byte, key, value string) []byte {
	return AppendString(appendKey(dst, key), value)
}

// appendOptional writes nothing for the empty string.
func appendOptional(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return appendMember(dst, key, value)
}

// appendPointer writes nothing for nil.
func appendPointer(dst []byte, key string, value *string) []byte {
	if value == nil {
		return dst
	}
	return appendMember(dst, key, *value)
}

func appendCount(dst []byte, key string, value *int64) []byte {
	if value == nil {
		return dst
	}
	return strconv.AppendInt(appendKey(dst, key), *value, 10)
}

// appendTrue writes nothing for false.
func appendTrue(dst []byte, key string, value bool) []byte {
	if !value {
		return dst
	}
	return append(appendKey(dst, key), "true"...)
}

func appendStrings(dst []byte, key string, values []string) []byte {
	dst = append(appendKey(dst, key), '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, v)
	}
	return append(dst, ']')
}

func appendSome(dst []byte, key string, values []string) []byte {
	if len(values) == 0 {
		return dst
	}
	return appendStrings(dst, key, values)
}

func appendRaw(dst []byte, key string, value RawJSON) []byte {
	if value == nil {
		return dst
	}
	return append(appendKey(dst, key), value...)
}

// appendObjects writes an array of objects, each by its own function; nothing when there are none.
func appendObjects[T any](dst []byte, key string, values []T, one func([]byte, *T) []byte) []byte {
	if len(values) == 0 {
		return dst
	}
	dst = append(appendKey(dst, key), '[')
	for i := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, &values[i])
	}
	return append(dst, ']')
}
