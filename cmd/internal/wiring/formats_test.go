package wiring

import (
	"testing"

	"github.com/pamline/pamline/config"
)

// Each format that the configuration allows can be written.
func TestEachFormatOfTheSettingIsPublished(t *testing.T) {
	for _, name := range config.PublishFormats {
		all, err := publishedFormats(&config.Config{Publish: config.Publish{Formats: " " + name + "," + name}})
		if err != nil || len(all) != 1 || all[0].Name != name || all[0].End == "" || all[0].Write == nil {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	if all, err := publishedFormats(&config.Config{}); err != nil || len(all) > 0 {
		t.Errorf("without the setting: %+v, %v", all, err)
	}
	if _, err := publishedFormats(&config.Config{Publish: config.Publish{Formats: "pdf"}}); err == nil {
		t.Error("pdf is a format")
	}
}
