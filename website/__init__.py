"""The site: what `make docs` builds from docs/, the docstrings and examples/gallery.

    __main__   builds it into build/site, with warnings as errors, and checks its links
    sources    gathers the pages: those of docs/ as they are, and those of the root
    api        writes a page for each public name: its mathematics, its parameters, its examples
    chart      draws the figures of the benchmarks from the page that the benchmarks wrote
    names      turns a public name in code type into a link to its page
    links      finds links within the built site that lead nowhere
    llms       writes llms.txt: what each page is about, for readers that are programs
    conf       settings of Sphinx

Nothing generated stands in the tree: pages are gathered in build/site_source.
"""
