package validate

// WarmUp prepares what the first validation of a store needs, so that a program can do that while
// it waits for something else. The error is that of a schema that cannot be used.
func WarmUp() error {
	_, err := rules()
	return err
}
