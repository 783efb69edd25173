"""Detects binary files by their first bytes."""

PROBE_BYTES = 8 * 1024
"""A NUL byte among this many first bytes means binary, as in git."""

_MAGIC_NUMBERS = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\0\0\1\0", "an icon"),
    (b"PK\x03\x04", "a zip archive (or a format based on zip: .docx, .xlsx, .jar, .whl)"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"\x7fELF", "an executable"),
    (b"SQLite format 3\0", "an SQLite database"),
)
_WEBP = (b"RIFF", b"WEBP")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def detect_binary_type(head: bytes) -> str:
    """Return what kind of binary file starts with `head`; empty if it is text.

    `head` is the file's first `PROBE_BYTES`. A PDF is binary although it may start like text.
    """
    if head.startswith(b"%PDF-"):
        return "a PDF document"
    if b"\0" not in head[:PROBE_BYTES]:
        return ""
    if head.startswith(_UTF16):
        return "UTF-16 text (convert it with `iconv -f UTF-16 -t UTF-8` in bash)"
    if head[:4] == _WEBP[0] and head[8:12] == _WEBP[1]:
        return "a WebP image"
    return next((kind for magic, kind in _MAGIC_NUMBERS if head.startswith(magic)), "a binary file")
