"""Where the texts come from: documentation that is already on a Debian machine."""

import os
from dataclasses import dataclass
from typing import Callable

import readers

RUST_BOOKS = """
book reference cargo nomicon edition-guide rustc rustdoc rust-by-example embedded-book error_codes style-guide clippy
""".split()


@dataclass
class Source:
    name: str
    patterns: list[str]
    read: Callable
    most_files: int
    licence: str
    # What the files belong to; None where dpkg says it and the licence is checked package by package.
    package: str | None = None
    # Texts under unclear or unwanted terms only measure, they never train.
    is_training: bool = True


def sources(rust, node_modules):
    """All sources in the order in which they are read; `rust` holds Rust's HTML documentation."""
    perl = "/usr/share/perl", "/usr/share/perl5"
    return [
        Source(
            "man",
            ["/usr/share/man/man[15678]/*.gz", "/usr/share/man/man[23]/*.gz"],
            readers.manual_page,
            8000,
            "Debian main, by package",
        ),
        Source(
            "rustdoc",
            [f"{rust}/{book}/**/*.html" for book in RUST_BOOKS],
            readers.web_page,
            1200,
            "MIT OR Apache-2.0",
            package="rust",
        ),
        Source(
            "ruststd",
            [f"{rust}/{library}/**/*.html" for library in ("std", "core", "alloc")],
            readers.web_page,
            1500,
            "MIT OR Apache-2.0",
            package="rust",
        ),
        Source(
            "doc-html",
            ["/usr/share/doc/**/*.html", "/usr/share/gtk-doc/html/**/*.html"],
            readers.web_page,
            900,
            "Debian main, by package",
        ),
        Source(
            "doc-md",
            ["/usr/share/doc/**/*.md", "/usr/share/doc/**/*.md.gz"],
            readers.markdown,
            900,
            "Debian main, by package",
        ),
        Source("node-doc", ["/usr/share/doc/nodejs/**/*.md"], readers.markdown, 400, "MIT", package="nodejs"),
        Source(
            "npm-docs",
            [f"{node_modules}/npm/docs/**/*.md", f"{node_modules}/npm/*.md"],
            readers.markdown,
            400,
            "Artistic-2.0",
            package="npm",
        ),
        Source(
            "doc-txt",
            [f"/usr/share/doc/**/{name}" for name in ("*.txt", "*.txt.gz", "README*", "NEWS*", "FAQ*")],
            readers.plain_text,
            1500,
            "mixed",
            package="doc-txt",
            is_training=False,
        ),
        Source(
            "perlpod",
            [f"{perl[0]}/**/*.pod", "/usr/lib/*-linux-gnu/perl*/**/*.pod", *(f"{root}/**/*.pm" for root in perl)],
            readers.perl_pod,
            1200,
            "Debian main, by package",
        ),
        Source(
            "info",
            ["/usr/share/info/*.gz"],
            readers.info_file,
            60,
            "GFDL or GPL",
            package="info",
            is_training=False,
        ),
        Source(
            "pydoc",
            [os.path.join(os.path.dirname(os.__file__), "**/*.py")],
            readers.python_documentation,
            3000,
            "PSF-2.0",
            package="python",
        ),
        Source(
            "npm-readme",
            [f"{node_modules}/**/README.md"],
            readers.package_readme,
            2500,
            "MIT, ISC, Apache-2.0 or BSD, by package.json",
            package="npm packages",
        ),
    ]
