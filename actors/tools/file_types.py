"""What kind of file its first bytes tell of, where they are not text."""

PROBE_BYTES = 8 * 1024
"""A NUL in so many first bytes means binary, as git has it."""

_KNOWN = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\0\0\1\0", "an icon"),
    (b"PK\x03\x04", "a zip archive (or what is built on one: .docx, .xlsx, .jar, .whl)"),
    (b"\x1f\x8b", "gzip-compressed"),
    (b"\x7fELF", "an executable"),
    (b"SQLite format 3\0", "an SQLite database"),
)
_WEBP = (b"RIFF", b"WEBP")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def detect_binary_type(head: bytes) -> str:
    """Name what a file is that cannot be shown as text; empty: it is text.

    `first` are its first `PROBE_BYTES`. A PDF counts although it may begin like text.
    """
    if head.startswith(b"%PDF-"):
        return "a PDF document"
    if b"\0" not in head[:PROBE_BYTES]:
        return ""
    if head.startswith(_UTF16):
        return "UTF-16 text; `iconv -f UTF-16 -t UTF-8` in bash shows it"
    if head[:4] == _WEBP[0] and head[8:12] == _WEBP[1]:
        return "a WebP image"
    return next((kind for magic, kind in _KNOWN if head.startswith(magic)), "binary")
