// Package htmlmd writes the HTML of an assistant's answer as Markdown: paragraphs, headings, lists,
// tables, code, quotes, links, images, emphasis and rules. Scripts, styles, templates and what is
// shown only without scripts are left out. Everything else that is not known is passed through as
// its text.
//
// The output is for people and language models to read. A character is escaped only where it would
// else be taken for markup, so that snake_case, formulas and prices stay as they are.
//
// It takes time and memory in proportion to the input, whatever the input is: nesting beyond a
// limit is flattened, tables are not padded. Broken HTML is never an error.
package htmlmd
