"""Readers of documentation: each yields (title, sections) of one file, a section being (heading, paragraph)."""

import ast
import gzip
import html
import json
import os
import re

PERMISSIVE = re.compile(r"\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|CC0-1\.0|BlueOak-1\.0\.0)( OR .*)?\)?")
MAN_HEADINGS = {"SH", "SS", "Sh", "Ss"}
MAN_BREAKS = set("PP P LP TP IP Pp It sp nf fi EX EE RS RE TQ HP".split())
MAN_TEXT = set("B I BR IR RB RI BI IB SM Nm Xr Fl Ar Va Fn Em Sy Li Dv Pa Cm Nd".split())
HTML_BLOCK = re.compile(
    r"<(h[1-4]|p|li|dd)\b[^>]*>(.*?)(?=</\1>|<p\b|<h[1-4]\b|<li\b|<dd\b)", re.DOTALL | re.IGNORECASE
)


def read_text(path, limit=3_000_000):
    """Up to `limit` bytes as text; nothing where the file cannot be read."""
    try:
        with gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb") as file:
            return file.read(limit).decode("utf-8", "ignore")
    except OSError:
        return ""


def one_line(text):
    return re.sub(r"\s+", " ", text)


def blocks(text):
    return re.split(r"\n\s*\n", text)


def stem(path):
    return os.path.basename(path).split(".")[0]


def without_roff(text):
    """Text without the escapes of manual pages, on one line."""
    text = re.sub(r"\\f(\[[^\]]*\]|\(..|.)|\\[&|^/,)c%]|\\s[-+]?\d|\\m\[[^\]]*\]", "", text)
    text = re.sub(r"\\\((aq|cq|oq)|\\\[(aq|cq|oq)\]", "'", text)
    text = re.sub(r"\\\((lq|rq|dq)|\\\[(lq|rq|dq)\]", '"', text)
    text = re.sub(r"\\\((en|em|mi)|\\\[(en|em)\]", "-", text)
    text = text.replace("\\-", "-").replace("\\e", "\\").replace("\\ ", " ").replace("\\~", " ")
    return one_line(re.sub(r"\\\(..|\\\[[^\]]*\]|\\\*\S", "", text)).strip()


def without_pod(text):
    return re.sub(r"[A-Z]<+\s*([^<>]*?)\s*>+", r"\1", text)


def without_tags(text):
    return html.unescape(re.sub("<[^>]+>", "", text))


def manual_page(path):
    text = read_text(path, 400_000)
    if text.startswith(".so "):  # only names another page
        return
    heading, paragraph, sections = "", [], []

    def end_paragraph():
        if paragraph:
            sections.append((heading, " ".join(paragraph)))
            paragraph.clear()

    for line in text.split("\n"):
        if line[:1] in ("", ".", "'"):  # an empty line ends nothing: the released weights were trained so
            request = re.match(r"[.']\s*(\w+)\s*(.*)", line)
            name, rest = request.groups() if request else ("", "")
            rest = rest.replace('"', "")
            if name in MAN_HEADINGS:
                end_paragraph()
                heading = without_roff(rest).lower()
            elif name in MAN_BREAKS:
                end_paragraph()
            elif name in MAN_TEXT:
                paragraph.append(rest)
        elif line.strip():
            paragraph.append(line)
        else:
            end_paragraph()
    end_paragraph()
    yield stem(path), sections


def web_page(path):
    text = read_text(path)
    title = re.search(r"<title>(.*?)</title>", text, re.DOTALL | re.IGNORECASE)
    title = without_roff(without_tags(title.group(1))) if title else os.path.basename(path)
    text = re.sub(r"<(script|style|pre|nav)\b.*?</\1>", " ", text, flags=re.DOTALL | re.IGNORECASE)
    heading, sections = "", []
    for block in HTML_BLOCK.finditer(text):
        content = one_line(without_tags(block.group(2))).strip()
        if block.group(1)[0] in "hH":
            heading = content
        else:
            sections.append((heading, content))
    yield re.sub(r"\s+-\s+(The )?(Rust|Cargo).*", "", title), sections


def markdown(path):
    text = re.sub(r"```.*?```", " ", read_text(path), flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->|<[^>]+>", " ", text, flags=re.DOTALL)
    name = os.path.splitext(os.path.basename(path))[0]
    if "readme" in path.lower():
        name = os.path.basename(os.path.dirname(path))
    heading, sections = "", []
    for block in re.split(r"\n\s*\n|\n(?=#)|\n(?=[*-] )", text):
        block = block.strip()
        if block.startswith("#"):
            first, _, block = block.partition("\n")
            heading = first.strip("# `")
        block = re.sub(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?", r"\1", block)
        block = re.sub(r"[`*_|]{1,3}", "", block)
        sections.append((heading, one_line(block).lstrip("-> ").strip()))
    yield name.replace("-", " "), sections


def package_readme(path):
    """The README of an npm package, only where its own package.json states a permissive licence."""
    try:
        with open(os.path.join(os.path.dirname(path), "package.json")) as file:
            licence = json.load(file).get("license")
    except (OSError, ValueError, AttributeError):
        return
    if isinstance(licence, str) and PERMISSIVE.fullmatch(licence):
        yield from markdown(path)


def perl_pod(path):
    heading, sections = "", []
    for block in blocks(read_text(path)):
        if command := re.match(r"=(head\d|item)\s+(.*)", block):
            heading = command.group(2)
        elif block and block[0] not in "= \t":
            sections.append((heading, one_line(without_pod(block))))
    yield stem(path), sections


def plain_text(path):
    heading, sections = "", []
    for block in blocks(read_text(path)):
        text = block.strip()
        if text and "\n" not in text and len(text) < 60 and not text.endswith("."):
            heading = text.strip("=-* #")
            continue
        if underlined := re.match(r"^(.{3,60})\n[=\-~^]{3,}\n?(.*)", text, re.DOTALL):
            heading, text = underlined.groups()
        sections.append((heading, one_line(text)))
    yield stem(path).replace("_", " "), sections


def info_file(path):
    for node in read_text(path).split("\x1f"):
        name = re.search(r"Node: ([^,\n]+)", node)
        heading = name.group(1) if name else ""
        # Deeply indented blocks are examples and tables.
        prose = [block for block in blocks(node.split("\n", 2)[-1]) if not re.search(r"^\s{8,}|\n\s{8,}", block)]
        yield stem(path), [(heading, one_line(block).strip()) for block in prose]


def python_documentation(path):
    try:
        tree = ast.parse(read_text(path))
    except (SyntaxError, ValueError, RecursionError):
        return
    module, sections = os.path.splitext(os.path.basename(path))[0], []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            continue
        heading = getattr(node, "name", module).replace("_", " ")
        prose = [block for block in blocks(ast.get_docstring(node) or "") if ">>>" not in block]
        sections += [(heading, one_line(block)) for block in prose]
    yield module, sections
