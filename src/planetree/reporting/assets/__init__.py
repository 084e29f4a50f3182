"""JavaScript and CSS of the pages."""
