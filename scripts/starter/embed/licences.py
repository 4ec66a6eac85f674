"""Which Debian package owns a file, and whether training may use the package's documentation."""

import functools
import glob
import os
import re
import subprocess

from readers import read_text

DOCUMENTATION = re.compile(r"/usr/share/(man/man|doc/|perl|gtk-doc/)|/usr/lib/[^/]+-linux-gnu/perl")
# Manuals under it may not be taken apart freely; a package that mentions it anywhere is left out whole.
FREE_DOCUMENTATION_LICENCE = re.compile(r"free documentation licen[cs]e|\bGFDL|\bGNU FDL", re.IGNORECASE)
WELL_KNOWN = ["GPL", "LGPL", "BSD", "MIT", "Apache", "Artistic", "public domain", "ISC", "Permission is hereby granted"]


@functools.cache
def owners():
    """File -> the package that installed it, for files of documentation."""
    found = {}
    for listing in glob.glob("/var/lib/dpkg/info/*.list"):
        package = os.path.basename(listing).removesuffix(".list").split(":")[0]
        with open(listing) as lines:
            found.update((line.strip(), package) for line in lines if DOCUMENTATION.match(line))
    return found


@functools.cache
def packages_in_main():
    """Names of all packages of Debian main (needs the lists that `apt-get update` fetches)."""
    found = set()
    for listing in glob.glob("/var/lib/apt/lists/*main_binary-*_Packages*"):
        command = ["/usr/lib/apt/apt-helper", "cat-file", listing]
        text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        found.update(re.findall(r"^Package: (\S+)", text, re.MULTILINE))
    if len(found) < 10000:
        raise SystemExit("no package lists of Debian main: run apt-get update first")
    return found


def names_of_licences(copyright_text):
    if copyright_text.lstrip().startswith("Format") or "\nFormat:" in copyright_text[:400]:
        names = {name.strip()[:40] for name in re.findall(r"^License:[ \t]*(\S[^\n]*)", copyright_text, re.MULTILINE)}
        return ", ".join(sorted(names)) or "?"

    return "free-form: " + ", ".join(name for name in WELL_KNOWN if name in copyright_text)


@functools.cache
def terms(package):
    """(may be used, its licences or the reason why not)"""
    text = read_text(f"/usr/share/doc/{package}/copyright")
    if not text:
        return False, "no copyright file"
    if FREE_DOCUMENTATION_LICENCE.search(text):
        return False, "mentions the GFDL"
    return True, names_of_licences(text)


def debian_package(path):
    """(package, its licences), or (None, the reason for leaving the file out)"""
    package = owners().get(path)
    if package is None:
        return None, "no owning package"
    if package not in packages_in_main():
        return None, f"not in Debian main: {package}"
    allowed, licences = terms(package)
    return (package, licences) if allowed else (None, f"{licences}: {package}")
