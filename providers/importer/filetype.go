package importer

import (
	"path"
	"strings"
)

// The types of attachments (PAM §25) that a name or a media type tells.
const (
	typeFile     = "file"
	typeImage    = "image"
	typeAudio    = "audio"
	typeVideo    = "video"
	typeDocument = "document"
)

// endings are types by the ending of a name. The system's own table is not asked: it differs
// between machines.
var endings = map[string]string{
	".png": typeImage, ".jpg": typeImage, ".jpeg": typeImage, ".gif": typeImage, ".webp": typeImage, ".heic": typeImage, ".heif": typeImage, ".bmp": typeImage, ".svg": typeImage,
	".mp3": typeAudio, ".m4a": typeAudio, ".wav": typeAudio, ".ogg": typeAudio, ".opus": typeAudio, ".aac": typeAudio, ".flac": typeAudio,
	".mp4": typeVideo, ".mov": typeVideo, ".webm": typeVideo, ".mkv": typeVideo, ".avi": typeVideo,
	".pdf": typeDocument, ".txt": typeDocument, ".md": typeDocument, ".doc": typeDocument, ".docx": typeDocument, ".odt": typeDocument, ".rtf": typeDocument,
	".ppt": typeDocument, ".pptx": typeDocument, ".xls": typeDocument, ".xlsx": typeDocument, ".csv": typeDocument, ".html": typeDocument, ".epub": typeDocument,
}

// NamedType is the type of an attachment by the ending of its name, "file" for an ending that says
// nothing.
func NamedType(name string) string {
	if t := endings[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return typeFile
}

// MediaType is the type of an attachment by its media type: image, audio or video, "" for any
// other.
func MediaType(mime string) string {
	switch top, _, ok := strings.Cut(mime, "/"); {
	case !ok:
	case top == typeImage, top == typeAudio, top == typeVideo:
		return top
	}
	return ""
}
