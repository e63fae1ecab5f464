"""Prints the releases of distributions that this interpreter can use, the oldest first, as JSON.

releases.py NAME...: asks the indexes that pip would ask, by the simple API in JSON (PEP 691, PEP 700 for the dates), or in HTML where an
index knows no other. Left out are pre-releases, yanked releases, and files for other interpreters and machines.
"""

import base64
import html.parser
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from pip._internal.models.index import PyPI
from pip._vendor.packaging import specifiers, tags, utils, version

FORMATS = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
MOST_BYTES = 64 << 20
TIME = 60


def indexes():
    more = os.environ.get("PIP_EXTRA_INDEX_URL", "").split()
    return [os.environ.get("PIP_INDEX_URL") or PyPI.simple_url, *more]


class Links(html.parser.HTMLParser):
    """The files on a page of an index."""

    def __init__(self):
        super().__init__()
        self.files = []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a" and attributes.get("href"):
            name = urllib.parse.unquote(urllib.parse.urlsplit(attributes["href"]).path.rsplit("/", 1)[-1])
            python = attributes.get("data-requires-python")
            self.files.append({"filename": name, "requires-python": python, "yanked": "data-yanked" in attributes})


def files(index, name):
    """The files of a distribution at an index."""
    address = urllib.parse.urlsplit(index)
    host = address.netloc.rpartition("@")[2]
    page = f"{address.path.rstrip('/')}/{re.sub('[-_.]+', '-', name).lower()}/"
    request = urllib.request.Request(urllib.parse.urlunsplit((address.scheme, host, page, "", "")))
    request.add_header("Accept", FORMATS)
    if address.username:
        told = f"{urllib.parse.unquote(address.username)}:{urllib.parse.unquote(address.password or '')}"
        request.add_header("Authorization", "Basic " + base64.b64encode(told.encode()).decode())
    with urllib.request.urlopen(request, timeout=TIME) as answer:
        body = answer.read(MOST_BYTES)
        if "json" in answer.headers.get_content_type():
            return json.loads(body).get("files", [])
    links = Links()
    links.feed(body.decode("utf-8", "replace"))
    return links.files


def version_of(filename, supported):
    """The version of a file that can be installed here; `None`: it cannot."""
    if filename.endswith(".whl"):
        _, found, _, fits = utils.parse_wheel_filename(filename)
        return found if fits & supported else None
    if filename.endswith((".tar.gz", ".zip")):
        return utils.parse_sdist_filename(filename)[1]
    return None


def is_for_this_python(wanted):
    python = ".".join(map(str, sys.version_info[:3]))
    try:
        return not wanted or specifiers.SpecifierSet(wanted).contains(python)
    except specifiers.InvalidSpecifier:
        return True


def releases(name, supported):
    dates = {}
    for index in indexes():
        try:
            found = files(index, name)
        except (OSError, ValueError, urllib.error.URLError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        for file in found:
            if file.get("yanked") or not is_for_this_python(file.get("requires-python")):
                continue
            try:
                release = version_of(file.get("filename", ""), supported)
            except (utils.InvalidWheelFilename, utils.InvalidSdistFilename, version.InvalidVersion):
                continue
            if release is None or release.is_prerelease:
                continue
            date = file.get("upload-time")
            known = dates.setdefault(release, date)
            if date and (not known or date < known):
                dates[release] = date
    return [{"version": str(release), "released": dates[release]} for release in sorted(dates)]


def main():
    names = sys.argv[1:]
    supported = frozenset(tags.sys_tags())
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda name: releases(name, supported), names)
        json.dump(dict(zip(names, found)), sys.stdout)


main()
