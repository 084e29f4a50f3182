"""Build the site: `python -m website`, or with `--no-gallery` without running the examples."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

from website import api, chart, links, llms, sources

ROOT = Path(__file__).parents[1]
SOURCE, TARGET = ROOT / "build" / "site_source", ROOT / "build" / "site"


def main() -> int:
    """Gather, build and check; 0 if all of that went well."""
    began = time.perf_counter()
    sources.gather(ROOT, SOURCE)
    api.write_pages(SOURCE / "api")
    chart.draw(SOURCE / "frontier.md", SOURCE / "images")
    shutil.rmtree(TARGET, ignore_errors=True)
    done = subprocess.run(sphinx(), check=False)
    if done.returncode:
        return done.returncode
    llms.write(SOURCE, TARGET)
    broken = links.broken(TARGET)
    print("\n".join(broken) or f"Every link within {TARGET} leads somewhere.")
    print(f"{time.perf_counter() - began:.0f} s.")
    return bool(broken)


def sphinx() -> list[str]:
    """Command that turns the gathered pages into HTML."""
    plain = ["-D", "plot_gallery=0"] if "--no-gallery" in sys.argv else []
    places = ["-c", str(ROOT / "website"), str(SOURCE), str(TARGET)]
    strict = ["--fail-on-warning", "--keep-going"]
    doctrees = ["-d", str(ROOT / "build" / "doctrees")]
    return [sys.executable, "-m", "sphinx", "-q", "-b", "html", *strict, *plain, *doctrees, *places]


if __name__ == "__main__":
    sys.exit(main())
