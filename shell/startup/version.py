"""The program's version; the package's metadata is read from here."""

VERSION = "0.1.0"
