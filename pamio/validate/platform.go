package validate

import (
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// products are the products that are often named after their company (PAM §11.4).
var products = map[string]string{
	"openai":     "chatgpt",
	"anthropic":  "claude",
	"google":     "gemini",
	"bard":       "gemini",
	"microsoft":  "copilot",
	"bing":       "copilot",
	"xai":        "grok",
	"x-ai":       "grok",
	"x_ai":       "grok",
	"twitter":    "grok",
	"mistralai":  "mistral",
	"mistral-ai": "mistral",
}

func (e *element) platform(n jsonscan.Node, pointer string) {
	s, ok := peekString(n)
	if !ok {
		return
	}
	product, company := products[strings.ToLower(s)]
	if e.wrong(platformNaming, company) {
		e.find(platformNaming, e.at(pointer, n), "%q is the name of a company; the platform is the product, %q here", s, product)
	}
}
