#!/usr/bin/env python3
"""Opens an HTML report in a headless Chromium and uses it as a reader does.

A record with failures is made by the program, then spoilt with markup in its texts. Exits 77 (skipped)
where no Chromium is installed."""

import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HOSTILE = "</script><img src=x onerror=\"window.broken=1\"><b>bold</b>"


class Browser:
    """The DevTools protocol over a pair of pipes: JSON messages with a zero byte after each."""

    def __init__(self, program: str, folder: str):
        into, self.write = os.pipe()
        self.read, out = os.pipe()
        command = (f'exec "$0" --headless=new --hide-scrollbars --no-sandbox --disable-gpu --disable-dev-shm-usage '
                   f'--user-data-dir="$1" --remote-debugging-pipe about:blank 3<&{into} 4>&{out}')
        self.process = subprocess.Popen(["bash", "-c", command, program, folder],
                                        pass_fds=(into, out), stderr=subprocess.DEVNULL)
        os.close(into)
        os.close(out)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self) -> dict:
        while b"\0" not in self.rest:
            chunk = os.read(self.read, 1 << 16)
            if not chunk:
                raise RuntimeError("the browser ended")
            self.rest += chunk
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method: str, **parameters) -> dict:
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.write, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path: pathlib.Path) -> None:
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def run(self, script: str):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self) -> list[str]:
        out = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                out.append("exception: " + str(parameters["exceptionDetails"]))
            if method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
                out.append("console: " + str(parameters["args"]))
            if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                out.append("log: " + parameters["entry"]["text"])
            if method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith("file://"):
                    out.append("network: " + url)
        return out

    def resize(self, width: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=False)

    def screenshot(self, path: pathlib.Path, width: int, dark: bool) -> None:
        self.resize(width)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        image = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(image))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


failures = []


def expect(what: str, holds: bool, found="") -> None:
    if not holds:
        failures.append(f"{what}: found {found!r}")


def count(browser: Browser, selector: str) -> int:
    return browser.run(f"document.querySelectorAll({json.dumps(selector)}).length")


def click(browser: Browser, selector: str) -> None:
    browser.run(f"document.querySelector({json.dumps(selector)}).click()")


def tab(browser: Browser, name: str) -> None:
    browser.run("[...document.querySelectorAll('#tabs button')]"
                f".find((b) => b.textContent.startsWith({json.dumps(name)})).click()")


def choose(browser: Browser, name: str, value: str) -> int:
    """Sets a filter; returns how many cells are left, as the page says."""
    browser.run(f"""(() => {{
        const field = document.querySelector('[name={name}]');
        field.value = {json.dumps(value)};
        field.dispatchEvent(new Event('input', {{bubbles: true}}));
        field.dispatchEvent(new Event('change', {{bubbles: true}}));
    }})()""")
    return int(browser.run("document.getElementById('shown').textContent.split(' ')[0]"))


def check_failing(browser: Browser, record: dict) -> None:
    cells = record["cells"]
    bad = [cell for cell in cells if cell["status"] == "Fail"]
    for width in (1280, 800):
        browser.resize(width)
        wide = browser.run("document.documentElement.scrollWidth")
        expect(f"nothing overflows at {width} px", wide <= width, wide)
    text = browser.run("document.body.innerText")
    expect("hostile text stays text", HOSTILE in text, text[:500])
    expect("hostile text makes no element", count(browser, "img") == 0 and browser.run(
        "[...document.querySelectorAll('b')].every((b) => b.textContent !== 'bold')"))
    expect("hostile text runs nothing", browser.run("typeof window.broken") == "undefined")
    expect("verdict", browser.run("document.getElementById('verdict').textContent") ==
           "DOES NOT CONFORM")

    shown = choose(browser, "status", "Fail")
    expect("status filter", shown == len(bad), shown)
    choose(browser, "status", "")
    shown = choose(browser, "dtype", "f16")
    expect("dtype filter", shown == sum(c["dtype"] == "f16" for c in cells), shown)
    choose(browser, "dtype", "")
    shown = choose(browser, "text", bad[0]["requirement"])
    expect("text filter", 0 < shown < len(cells), shown)
    browser.run("document.querySelector('#filters button').click()")
    shown = choose(browser, "text", "")
    expect("reset", shown == len(cells), shown)

    click(browser, ".entry[data-kind=memory]")
    expect("a click names the kind", "memory" in browser.run(
        "document.querySelector('#detail h2').textContent"))
    ids = {c["requirement"] for c in cells if c["kind"] == "memory"}
    found = count(browser, "#detail .clause")
    expect("a click lists the clauses", found == len(ids), found)
    click(browser, "#detail .clause summary")
    browser.run("1")  # the toggle event has been handled by now
    expect("a clause opens its evidence", browser.run(
        "document.querySelector('#detail .clause[open] table') !== null"))

    tab(browser, "Failures")
    expect("each failure is shown", count(browser, "article.failure") >= 1)
    expect("row plot", count(browser, "article svg[data-plot=row] rect") >= 2)
    expect("cut plot", count(browser, "article svg[data-plot=cut] rect.wrong") >= 1)
    expect("replay line", "assay replay" in browser.run("document.getElementById('tab').innerText"))
    tab(browser, "Kept sets")
    expect("kept sets of passing cases", count(browser, "#tab svg[data-plot=cut]") >= 2)
    tab(browser, "Fault map")
    expect("fault map", count(browser, "#tab rect.kill") > 5)
    expect("the fault is in its clause's column", count(
        browser, f"#tab rect[data-fault=topk-keeps-ties][data-clause={bad[0]['requirement']}]") == 1)
    tab(browser, "Record")
    expect("raw record", record["seed"] in browser.run("document.getElementById('tab').innerText"))


def check_kills(browser: Browser, kills: dict) -> None:
    tab(browser, "Kill map")
    lines = sum(len(fault["kills"]) for fault in kills["faults"])
    found = count(browser, "#tab tr.kill-line")
    expect("a line for each kill", found == lines > 0, found)
    text = browser.run("document.getElementById('tab').innerText")
    expect("hostile text stays text there", HOSTILE in text, text[:500])
    expect("the fault of one property alone", count(browser, "#alone tr") == 1)
    choose(browser, "text", "no such fault")
    found = count(browser, "#tab tr.kill-line")
    expect("the text filter applies to kills", found == 0, found)
    choose(browser, "text", "")


def check_sampler(browser: Browser, record: dict) -> None:
    streams = sum(len(e["streams"]) for c in record["cells"] for e in c["evidence"])
    tab(browser, "Law")
    named = "family=normal" in browser.run("document.getElementById('tab').innerText")
    expect("cases are in words", named)
    expect("law plots", count(browser, "#tab svg[data-plot=law]") == streams > 0, streams)
    expect("each bin has its band and dot", count(browser, "#tab .band") == count(browser, "#tab .dot") > 0)
    tab(browser, "Budget use")
    expect("budget plot", count(browser, "#tab svg[data-plot=budget] rect") > 0)
    tab(browser, "Not tested")
    expect("not tested", "only 'sampling_from_probs'" in browser.run("document.getElementById('tab').innerText"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", required=True, help="the program")
    parser.add_argument("--screenshots", type=pathlib.Path, help="keep pictures in this folder")
    args = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("skipped: no chromium is installed (tools/install_dependencies installs it)")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)

        def kill_map() -> dict:
            """What refuses a fault, and a made-up one that one property with a bad name refuses."""
            path = folder / "kills.json"
            subprocess.run([args.assay, "selftest", "--brief", "--only", "topk-keeps-ties", "--out", path],
                           stdout=subprocess.DEVNULL, check=True)
            kills = json.loads(path.read_text())
            kill = {**kills["faults"][0]["kills"][0], "property": HOSTILE}
            kills["faults"].append({"id": "made-up", "kills": [kill]})
            path.write_text(json.dumps(kills))
            return kills

        def html(subject: str, *more: str, spoil: bool = False) -> tuple[pathlib.Path, dict]:
            path = folder / "record.json"
            subprocess.run([args.assay, "certify", subject, "--out", path, *more],
                           stdout=subprocess.DEVNULL, check=False)
            record = json.loads(path.read_text())
            if spoil:
                record["counterexamples"][0]["input"] = HOSTILE
                record["subject"]["version"] = HOSTILE
                path.write_text(json.dumps(record))
            page = folder / f"{subject.replace(':', '_')}.html"
            subprocess.run([args.assay, "report", path, "--format", "html", "--out", page,
                            "--kills", folder / "kills.json"],
                           stderr=subprocess.DEVNULL, check=False)
            return page, record

        kills = kill_map()
        pages = [(*html("fault:topk-keeps-ties", spoil=True), check_failing),
                 (*html("host", "--only", "sampling_from_probs"), check_sampler)]
        browser = Browser(chromium, name)
        try:
            for page, record, check in pages:
                browser.open(page)
                check(browser, record)
                check_kills(browser, kills)
                failures.extend(browser.complaints())
                if args.screenshots:
                    for width, dark in ((1280, False), (800, True)):
                        browser.screenshot(args.screenshots / f"{page.stem}-{width}.png", width, dark)
        finally:
            browser.close()
    for failure in failures:
        print(failure)
    print("the page works" if not failures else f"{len(failures)} expectations failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
