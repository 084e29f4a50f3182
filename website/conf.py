"""Settings of Sphinx; `python -m website` gathers the pages and runs it."""

import re
import sys
import warnings
from pathlib import Path

import matplotlib

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
matplotlib.use("agg")
warnings.filterwarnings("ignore", category=UserWarning, message=".*non-interactive.*")

import planetree  # noqa: E402
from website.examples import without_data  # noqa: E402

_GALLERY = ROOT / "examples" / "gallery"

project = "planetree"
author = "The planetree developers"
copyright = author
release = version = planetree.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "website.names",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
exclude_patterns = ["gallery/*.md5", "gallery/*.ipynb", "papers/results", "api/backreferences"]
default_role = "literal"
toc_object_entries_show_parents = "hide"
language = "en"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_typehints = "none"  # numpydoc says the types in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
numpydoc_use_plots = False

sphinx_gallery_conf = {
    "examples_dirs": str(_GALLERY),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": "|".join(map(re.escape, ["__init__.py", *without_data(_GALLERY)])),
    "doc_module": ("planetree",),
    "backreferences_dir": "api/backreferences",
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "min_reported_time": 5,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "default_thumb_file": str(ROOT / "docs" / "images" / "report.png"),
}

html_theme = "pydata_sphinx_theme"
html_title = "planetree"
html_static_path = ["static"]
html_css_files = ["planetree.css"]
html_logo = "static/planetree.svg"
html_favicon = "static/planetree.svg"
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "planetree"},
    "show_prev_next": False,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "show_toc_level": 2,
}
html_sidebars = {"index": [], "api/**": ["sidebar-nav-bs"]}
suppress_warnings = ["config.cache"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
