"""What a release needs beside the sources: the oldest versions, and a try of the wheel."""
