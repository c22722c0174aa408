package config

import (
	"strings"
	"testing"
)

func TestConnectionsWithoutTLSArePermittedByName(t *testing.T) {
	bucket := map[string]string{"store.kind": "s3", "store.s3.bucket": "b"}
	for name, c := range map[string]struct {
		set     map[string]string
		refused string // keys
	}{
		"nothing set":                 {nil, ""},
		"this machine":                {map[string]string{"nats.url": "nats://127.0.0.1:4222,nats://localhost:4223", "llm.url": "http://[::1]:1/v1", "trace.endpoint": "http://localhost:4318"}, ""},
		"TLS":                         {map[string]string{"nats.url": "tls://n:4222", "llm.url": "https://h/v1", "embeddings.url": "https://h/v1", "trace.endpoint": "https://t"}, ""},
		"an endpoint":                 {map[string]string{"store.s3.endpoint": "http://store:7070"}, "store.s3.endpoint"},
		"an endpoint of this machine": {map[string]string{"store.s3.endpoint": "http://127.0.0.2:7070"}, ""},
		"all":                         {map[string]string{"nats.url": "nats://n:4222", "llm.url": "http://h/v1", "embeddings.url": "http://h/v1", "trace.endpoint": "http://t:4318"}, "llm.url embeddings.url trace.endpoint nats.url"},
		"a server without a scheme":   {map[string]string{"nats.url": "n:4222"}, "nats.url"},
		"one of two servers":          {map[string]string{"nats.url": "tls://n:4222,nats://m:4222"}, "nats.url"},
		"permitted":                   {map[string]string{"nats.url": "nats://N:4222", "llm.url": "http://h/v1", "tls.plain": "n, h"}, ""},
		"another is permitted":        {map[string]string{"llm.url": "http://h/v1", "embeddings.url": "http://g/v1", "tls.plain": "h"}, "embeddings.url"},
		"not by a part of a name":     {map[string]string{"llm.url": "http://api.h/v1", "tls.plain": "h"}, "llm.url"},
	} {
		t.Run(name, func(t *testing.T) {
			set := map[string]string{}
			if strings.Contains(name, "endpoint") {
				set = map[string]string{"store.kind": bucket["store.kind"], "store.s3.bucket": bucket["store.s3.bucket"]}
			}
			for key, value := range c.set {
				set[key] = value
			}
			_, err := Load(Sources{Set: set})
			for _, key := range strings.Fields("store.s3.endpoint llm.url embeddings.url trace.endpoint nats.url") {
				refused := err != nil && strings.Contains(err.Error(), key+" ") || err != nil && strings.Contains(err.Error(), key+":")
				if want := strings.Contains(" "+c.refused+" ", " "+key+" "); refused != want {
					t.Errorf("%s: refused %v, want %v: %v", key, refused, want, err)
				}
			}
			if err != nil && c.refused == "" {
				t.Error(err)
			}
		})
	}
}
