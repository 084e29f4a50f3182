"""The studio: a local page in which people make, question and hand over readable models.

    start         find a port, print the address, serve
    security      who may ask for what
    server        the page, its actions and its files, over HTTP
    session       what the page can ask for; two workers compute it
    workers       processes that compute, which can be canceled and may crash
    desk/         what they do
    events        what all open pages hear
    tables_folder the folder of tables, and uploads into it
    project       what was decided and found, kept beside the table
    recipe        how a model is made; reproduction: the same as a command line and as Python
    assets/       the page: JavaScript modules and styles, beside those of the report

Nothing leaves the machine. The numbers are those of the command and the library: the same functions
make them.
"""
