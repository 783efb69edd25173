"""The program's version; the package metadata is read from here."""

VERSION = "0.1.0"
