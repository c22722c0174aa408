package toolcall_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/toolcall"
)

func TestArgumentsAreObjectsWhereTheyCanBeWrittenAgain(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	for _, c := range []struct{ text, want string }{
		{`{"q":"tea"}`, `{"q":"tea"}`},
		{`{"q": "tea"}`, `"{\"q\": \"tea\"}"`},
		{`[1]`, `"[1]"`},
		{`tea`, `"tea"`},
		{``, `""`},
		{`{"a":1,"a":2}`, `"{\"a\":1,\"a\":2}"`},
		{`{"a":"\ud800"}`, `"{\"a\":\"\\ud800\"}"`},
		{deep, string(pamio.AppendString(nil, deep))},
	} {
		got := toolcall.Argument(c.text)
		if string(got) != c.want {
			t.Errorf("%.60q becomes %.60s, want %.60s", c.text, got, c.want)
		}
		if back, ok := toolcall.Text.Write(nil, string(got)); !ok || string(back) != string(pamio.AppendString(nil, c.text)) {
			t.Errorf("%.60q is written as %.60s", c.text, back)
		}
	}
}
