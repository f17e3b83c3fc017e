"""The sample report in headless Chromium: nothing on the console, everything there, nothing cut or overlapping."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import browser

FIGURES = ("teacher-error", "teacher-curves", "mnist-error", "learning-rates")


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="bitbayes_report_")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([os.environ["SAMPLE_REPORT"], cls.folder], check=True, timeout=60)
        cls.page = cls.folder / "report.html"
        cls.browser = cls.enterClassContext(browser.Browser())

    def changed(self, old, new):
        """A copy of the page with one thing changed."""
        text = self.page.read_text()
        self.assertIn(old, text)
        copy = self.folder / "changed.html"
        copy.write_text(text.replace(old, new, 1))
        return copy

    def assert_fault(self, pattern, page, width=1200):
        self.assertRegex("\n".join(browser.faults(self.browser, page, FIGURES, width)), pattern)

    def test_is_as_it_should_be(self):
        for width in (390, 768, 1200):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    self.assertEqual(browser.faults(self.browser, self.page, FIGURES, width, scheme), [])

    def test_follows_the_colour_scheme(self):
        grounds = {}
        for scheme in ("light", "dark"):
            self.browser.open(self.page, 1200, scheme)
            drawing = self.browser.evaluate("getComputedStyle(document.querySelector('.bb-ground')).fill")
            grounds[scheme] = self.browser.measure()["ground"]
            self.assertEqual(drawing, grounds[scheme])
        self.assertEqual(grounds, {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"})

    def test_figures_stand_alone(self):
        """As files, and as pictures in another page, which they fill up to their own width."""
        for name in FIGURES:
            picture = self.folder / f"{name}.svg"
            xml.etree.ElementTree.parse(picture)
            self.browser.open(picture)
            self.assertEqual(self.browser.messages(), [])
            around = self.folder / "around.html"
            around.write_text('<meta name="viewport" content="width=device-width"><body style="margin:0">'
                              f'<img src="{name}.svg" style="max-width:100%">')
            for width in (390, 1200):
                self.browser.open(around, width)
                own, shown = self.browser.evaluate(
                    "(() => { const i = document.images[0]; return [i.naturalWidth, i.clientWidth]; })()")
                self.assertGreaterEqual(own, 720)
                self.assertEqual(shown, min(own, width))

    def test_takes_pictures(self):
        self.browser.open(self.page, 390, "dark")
        self.browser.screenshot(self.folder / "page.png")
        self.assertEqual((self.folder / "page.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_finds_bad_pages(self):
        policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">'
        self.assert_fault("console: error: boo", self.changed(policy, "<script>console.error('boo')</script>"))
        self.assert_fault("1 scripts", self.changed(policy, "<script>0</script>"))
        self.assert_fault("console: error: .*Content Security Policy",
                          self.changed("<body>", "<body><script>0</script>"))
        self.assert_fault("figure 'mnist-error' is missing",
                          self.changed('<figure id="mnist-error">', '<figure id="mnist">'))
        self.assert_fault("id 'contents' is there more than once",
                          self.changed("<header>", '<header id="contents">'))
        self.assert_fault("a drawing has the size", self.changed("<svg ", '<svg style="display:none" '))
        self.assert_fault("the page is 600 wide in a window of 390",
                          self.changed("<main>", '<main><div style="width:584px">wide</div>'), 390)
        self.assert_fault("text 'Teacher.*' leaves its drawing", self.changed('<text x="14"', '<text x="-4"'))
        self.assert_fault("texts 'MFB' and 'MFB, best trial' overlap",
                          self.changed('<text x="156"', '<text x="50"'))


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: no chromium here (apt-get install chromium)")
        sys.exit(77)
    unittest.main()
