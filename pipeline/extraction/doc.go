// Package extraction reads one shard of an import and writes its result, once: the candidates that
// the extractors find. What the gate holds back and the vectors are side objects, named by digest
// and written before the result. Answers of services are recorded before they are used.
package extraction
